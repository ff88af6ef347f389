/**
 * Families of models that do not answer in text, by their names: most lists give nothing else to tell them by. From
 * the vendors' own pages of models (developers.openai.com/api/docs/models, ai.google.dev/gemini-api/docs/models,
 * docs.mistral.ai/getting-started/models, docs.x.ai/docs/models), and the names that open ones go by elsewhere.
 */

const FAMILIES: readonly (readonly [kind: string, name: RegExp])[] = [
  ['fine-tuned', /^ft:|:ft-/],
  ['embedding', /embed|^(?:bge|gte|e5|voyage)-/],
  ['moderation', /moderation|shieldgemma|(?:^|-)guard(?:-|$)/],
  ['image', /^(?:dall-e|imagen|flux|stable-diffusion|nano-banana|grok-imagine)|(?:^|-)image(?:-|$)/],
  ['video', /^(?:sora|veo)(?:-|$)/],
  ['music', /^lyria-/],
  ['speech', /(?:^|-)tts(?:-|$)/],
  ['transcription', /whisper|transcribe/],
  ['live audio', /realtime|(?:^|-)(?:live|audio)(?:-|$)/],
  ['ranking', /rerank/],
  ['document reading', /(?:^|-)ocr(?:-|$)/],
  ['completion', /^(?:(?:text|code)-)?(?:ada|babbage|curie|davinci|search|similarity)(?:-|$)/],
  ['completion', /^gpt-3\.5-turbo-instruct/],
];

/** What a model is made for, where its family is one that does not answer in text; undefined for all others. */
export function otherKind(name: string): string | undefined {
  const own = name.toLowerCase().replace(/^.*\//, '');
  return FAMILIES.find(([, family]) => family.test(own))?.[0];
}
