/**
 * Families of models that do not answer in text, by their names, since most lists give no other sign. The families are
 * from the vendors' own pages of models (developers.openai.com/api/docs/models, ai.google.dev/gemini-api/docs/models,
 * docs.mistral.ai/getting-started/models, docs.x.ai/docs/models), and from the names that open models have elsewhere.
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

/**
 * @param name the vendor's name of a model
 * @returns what the model is made for, if its family does not answer in text; undefined for all others
 */
export function otherKind(name: string): string | undefined {
  const own = name.toLowerCase().replace(/^.*\//, '');
  return FAMILIES.find(([, family]) => family.test(own))?.[0];
}
