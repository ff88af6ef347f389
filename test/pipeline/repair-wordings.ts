/**
 * Refusals as vendors and services word them, taken from public reports. Each has its source in a comment. A repair must
 * not depend on the words: about a quarter of these refusals name no field at all.
 *
 * Every body is written for a dialogue whose second turn (index 1) is the assistant's and is what the vendor refuses:
 * ids and texts of the reports are shortened, and positions are moved there.
 */

import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Json } from '../../src/lib/json.ts';

/** What a vendor refuses in a request. */
export type RefusedThing =
  | 'thoughts'
  | 'thinking setting'
  | 'stream_options'
  | 'json_schema'
  | 'strict tools'
  | 'repeated ids'
  | 'foreign ids'
  | 'any ids'
  | 'user after tool'
  | 'late system'
  | 'input no object'
  | 'missing reasoning_content'
  | 'empty text'
  | 'order';

/** One way to word a refusal. */
export interface RepairWording {
  /** The format that the vendor speaks. */
  readonly format: FormatName;
  readonly refuses: RefusedThing;
  readonly status: 400 | 422;
  /** The body of the refusal: JSON in the shape of the vendor or service, or a text that is no JSON. */
  readonly body: Json;
  /** Whether the body names the field or the kind of content that is refused. */
  readonly names: boolean;
}

/** OpenAI's error object. Most services that speak its formats copy it. */
const openai = (message: string, more: { readonly [name: string]: Json } = {}): Json => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});

/** Anthropic's error object. */
const anthropic = (message: string): Json => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
  request_id: 'req_011CSZ9vSpZLrRWFouS5LoMX',
});

/** Google's error object. */
const google = (message: string, more: { readonly [name: string]: Json } = {}): Json => ({
  error: { code: 400, message, status: 'INVALID_ARGUMENT', ...more },
});

/** How protobuf's JSON parser words a field that it does not know. */
const unknownName = (name: string, at: string): Json => {
  const description = `Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`;
  return google(description, {
    details: [
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: at, description }] },
    ],
  });
};

/** vLLM's error object since 0.10. */
const vllm = (message: string): Json => ({
  error: { message, type: 'BadRequestError', param: null, code: 400 },
});

/** OpenRouter's error object, which holds the vendor's own as text. */
const openrouter = (raw: Json, provider: string): Json => ({
  error: {
    message: 'Provider returned error',
    code: 400,
    metadata: { raw: typeof raw === 'string' ? raw : JSON.stringify(raw), provider_name: provider },
  },
  user_id: 'user_2i',
});

/** An error in the pipeline of a jinja template, as llama.cpp words it. */
const jinja = (line: number, cut: string, whole: string): string =>
  `\n------------\nWhile executing CallExpression at line ${line}, column 32 in source:\n` +
  `...== 0) %}↵            {{- raise_exception('${cut}...\n` +
  `                                           ^\nError: Jinja Exception: ${whole}`;

const chatCompletions: readonly Omit<RepairWording, 'format'>[] = [
  {
    // Groq: NousResearch/hermes-agent#11089, janhq/jan#8136.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: {
      error: {
        message:
          "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property " +
          "'reasoning_content' is unsupported)]",
        type: 'invalid_request_error',
      },
    },
  },
  {
    // Groq, for a model that does not reason: vercel/ai#8056.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: {
      error: {
        message: '`messages[1].reasoning`: reasoning is not supported with this model',
        type: 'invalid_request_error',
      },
    },
  },
  {
    // Mistral, with pydantic's list of errors: charmbracelet/crush#1590, BerriAI/litellm#30835.
    refuses: 'thoughts',
    status: 422,
    names: true,
    body: {
      object: 'error',
      message: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'messages', 1, 'assistant', 'reasoning_content'],
            msg: 'Extra inputs are not permitted',
            input: '\n',
          },
        ],
      },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
  },
  {
    // OpenRouter without the vendor's text: YourGPT/copilot-sdk#48, earendil-works/pi#6.
    refuses: 'thoughts',
    status: 400,
    names: false,
    body: { error: { message: 'Provider returned error', code: 400 }, user_id: 'user_2i' },
  },
  {
    // OpenAI: davidmigloz/langchain_dart#712, umputun/tg-spam#304.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: openai('Unrecognized request argument supplied: reasoning_effort'),
  },
  {
    // Groq's words for a field of the request that it does not know: musistudio/llms#64, fanenr/chatbot#21.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: {
      error: { message: "property 'reasoning_effort' is unsupported", type: 'invalid_request_error' },
    },
  },
  {
    // A strict service behind NVIDIA NIM: diegosouzapw/OmniRoute#13642.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: { detail: 'Unsupported parameter: reasoning_effort' },
  },
  {
    // Google's compatible endpoint, which answers with a list: HELPMEEADICE/doge-code#16, for `enable_thinking`.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: [
      google('Invalid JSON payload received. Unknown name "reasoning_effort": Cannot find field.', {
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [
              {
                description:
                  'Invalid JSON payload received. Unknown name "reasoning_effort": Cannot find field.',
              },
            ],
          },
        ],
      }),
    ],
  },
  {
    // Z.ai: charmbracelet/crush#1237, Kilo-Org/kilocode#13069.
    refuses: 'thinking setting',
    status: 400,
    names: false,
    body: { error: { code: '1210', message: 'Invalid API parameter, please check the documentation.' } },
  },
  {
    // A relay in front of OpenAI's models: QuantumNous/new-api#418.
    refuses: 'stream_options',
    status: 400,
    names: true,
    body: openai(
      "Unknown parameter: 'stream_options'. (request id: 20240806214436917505976hvsFC5y2) (request id: " +
        '20240806214435144343103vXhjiHlZ)',
      { param: 'stream_options', code: 'unknown_parameter' },
    ),
  },
  {
    // Azure's older API, with a JSON pointer: microsoft/semantic-kernel#10510.
    refuses: 'stream_options',
    status: 400,
    names: true,
    body: openai('Validation error at #/stream_options: Extra inputs are not permitted', {
      type: 'BadRequest',
      code: 'Bad Request',
    }),
  },
  {
    // FastAPI's list; a service that takes no unknown field answers 422: earendil-works/pi#596, vybestack/llxprt-code#114.
    refuses: 'stream_options',
    status: 422,
    names: true,
    body: {
      detail: [
        {
          type: 'extra_forbidden',
          loc: ['body', 'stream_options'],
          msg: 'Extra inputs are not permitted',
          input: { include_usage: true },
        },
      ],
    },
  },
  {
    // The text of a status and nothing else: openai/codex#12514, rowboatlabs/rowboat#696.
    refuses: 'stream_options',
    status: 400,
    names: false,
    body: { detail: 'Bad Request' },
  },
  {
    // DeepSeek: llm-exe/llm-exe#662.
    refuses: 'json_schema',
    status: 400,
    names: true,
    body: openai('This response_format type is unavailable now', { code: 'invalid_request_error' }),
  },
  {
    // DeepSeek, with serde's words: BerriAI/litellm#7580, browser-use/browser-use#215, dzhng/deep-research#22.
    refuses: 'json_schema',
    status: 422,
    names: true,
    body:
      'Failed to deserialize the JSON body into the target type: response_format: response_format.type `json_schema` is ' +
      'unavailable now at line 1 column 1193',
  },
  {
    // Volcengine: nanobrowser/nanobrowser#47.
    refuses: 'json_schema',
    status: 400,
    names: true,
    body: {
      error: {
        code: 'InvalidParameter',
        message:
          'The parameter `response_format.type` specified in the request are not valid: invalid value: `json_schema`, ' +
          'supported values are: `json_object` and `text`. Request id: 021741',
        param: 'response_format.type',
        type: 'BadRequest',
      },
    },
  },
  {
    // Cerebras: RooCodeInc/Roo-Code#10334 (422), mpfaffenberger/code_puppy#368 (400).
    refuses: 'strict tools',
    status: 422,
    names: true,
    body: {
      message:
        "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'",
      type: 'invalid_request_error',
      param: 'tools',
      code: 'wrong_api_format',
    },
  },
  {
    // Cerebras, for a model without strict tools: livekit/agents#3134.
    refuses: 'strict tools',
    status: 400,
    names: true,
    body: {
      message: 'Tools with strict=True are not supported by this model',
      type: 'invalid_request_error',
      param: 'tools',
      code: 'wrong_api_format',
    },
  },
  {
    // OpenAI: agno-agi/agno#5116.
    refuses: 'repeated ids',
    status: 400,
    names: true,
    body: openai(
      "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_0', in messages[2] and messages[4].",
      { param: 'messages.[4].tool_call_id' },
    ),
  },
  {
    // MiniMax: can1357/oh-my-pi#2055. It says what follows from the repeated id, not that an id repeats.
    refuses: 'repeated ids',
    status: 400,
    names: false,
    body: {
      type: 'error',
      error: {
        type: 'bad_request_error',
        message: 'invalid params, tool call result does not follow tool call (2013)',
        http_code: '400',
      },
      request_id: '05e1a0',
    },
  },
  {
    // Mistral: NousResearch/hermes-agent#11722. It counts the calls and their results.
    refuses: 'repeated ids',
    status: 400,
    names: false,
    body: {
      object: 'error',
      message: 'Not the same number of function calls and responses',
      type: 'invalid_request_message_order',
      param: null,
      code: '3230',
    },
  },
  {
    // OpenAI: camel-ai/camel#2215, anomalyco/opencode#12653.
    refuses: 'foreign ids',
    status: 400,
    names: true,
    body: openai(
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a " +
        'string with length 46 instead.',
      { param: 'messages[1].tool_calls[0].id', code: 'string_above_max_length' },
    ),
  },
  {
    // Mistral: nearai/ironclaw#1241, anomalyco/opencode#1680.
    refuses: 'foreign ids',
    status: 400,
    names: true,
    body: {
      object: 'error',
      message: 'Tool call id was toolu_01A but must be a-z, A-Z, 0-9, with a length of 9.',
      type: 'invalid_function_call',
      param: null,
      code: '3280',
      raw_status_code: 400,
    },
  },
  {
    // Mistral: datapizza-labs/datapizza-ai#98, BerriAI/litellm#17761, onyx-dot-app/onyx#6458.
    refuses: 'user after tool',
    status: 400,
    names: true,
    body: {
      object: 'error',
      message: "Unexpected role 'user' after role 'tool'",
      type: 'invalid_request_message_order',
      param: null,
      code: '3230',
    },
  },
  {
    // A model of Mistral behind LocalAI and llama.cpp: sterlp/eclipse-peon-ai#75, eclipse-theia/theia#17104.
    refuses: 'user after tool',
    status: 400,
    names: false,
    body: {
      error: {
        code: 400,
        message: jinja(
          189,
          'After the optional system message, con',
          'After the optional system message, conversation roles must alternate user and assistant roles except for ' +
            'tool calls and results.',
        ),
        type: 'invalid_request_error',
      },
    },
  },
  {
    // Mistral behind OpenRouter: charmbracelet/crush#279.
    refuses: 'user after tool',
    status: 400,
    names: true,
    body: openrouter(
      {
        object: 'error',
        message: "Unexpected role 'user' after role 'tool'",
        type: 'invalid_request_message_order',
        param: null,
        code: '3230',
      },
      'Mistral',
    ),
  },
  {
    // Qwen's template in vLLM: nashsu/llm_wiki#45, vllm-project/vllm#41114.
    refuses: 'late system',
    status: 400,
    names: true,
    body: vllm('System message must be at the beginning.'),
  },
  {
    // The same template in llama.cpp: ggml-org/llama.cpp#20733.
    refuses: 'late system',
    status: 400,
    names: true,
    body: {
      error: {
        code: 400,
        message: `Unable to generate parser for this template. Automatic parser generation failed: ${jinja(
          85,
          'System message must be at the beginnin',
          'System message must be at the beginning.',
        )}`,
        type: 'invalid_request_error',
      },
    },
  },
  {
    // A template that reads the arguments as an object: QwenLM/Qwen3#1894, mudler/LocalAI#10256.
    refuses: 'input no object',
    status: 400,
    names: false,
    body: vllm('Can only get item pairs from a mapping.'),
  },
  {
    // DeepSeek: QwenLM/qwen-code#3724.
    refuses: 'missing reasoning_content',
    status: 400,
    names: true,
    body: openai('The `reasoning_content` in the thinking mode must be passed back to the API.', {
      code: 'invalid_request_error',
    }),
  },
  {
    // Kimi at SiliconFlow: agentscope-ai/QwenPaw#433.
    refuses: 'missing reasoning_content',
    status: 400,
    names: true,
    body: {
      code: 20015,
      message:
        'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
      data: null,
    },
  },
  {
    // Kimi behind a relay: MoonshotAI/kimi-agent-sdk#169, QuantumNous/new-api#4408.
    refuses: 'missing reasoning_content',
    status: 400,
    names: true,
    body: {
      error: {
        type: '<nil>',
        message:
          'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1 (request id: ' +
          '202604230913188261227178268d9d624DV4QBl)',
      },
      type: 'error',
    },
  },
  {
    // A relay of many vendors that keeps what they have said to itself: YourGPT/copilot-sdk#48.
    refuses: 'missing reasoning_content',
    status: 400,
    names: false,
    body: {
      error: { message: 'Provider returned error', code: 400, metadata: { provider_name: 'DeepSeek' } },
    },
  },
  {
    // Z.ai, for a dialogue in an order that its template does not take: anomalyco/opencode#2557, continuedev/continue#13259.
    refuses: 'order',
    status: 400,
    names: false,
    body: {
      error: { code: '1214', message: 'The messages parameter is illegal. Please check the documentation.' },
    },
  },
  {
    // Z.ai, for a message of the user's after a tool's: justrach/codegraff#812.
    refuses: 'user after tool',
    status: 400,
    names: false,
    body: { error: { code: '1210', message: 'Invalid API parameter, please check the documentation.' } },
  },
  {
    // Open WebUI in front of Ollama, for a turn without content: open-webui/open-webui#12441. The answer has no body.
    refuses: 'empty text',
    status: 400,
    names: false,
    body: '',
  },
  {
    // vLLM with mistral-common: vllm-project/vllm#21089.
    refuses: 'empty text',
    status: 400,
    names: false,
    body: {
      object: 'error',
      message:
        "Invalid assistant message: role='assistant' content=None tool_calls=None prefix=False Invalid assistant " +
        "message: role='assistant' content=None tool_calls=None prefix=False",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
  {
    // Xiaomi behind OpenRouter: farion1231/cc-switch#464.
    refuses: 'empty text',
    status: 400,
    names: true,
    body: openrouter(
      {
        error: {
          code: '400',
          message: 'Param Incorrect',
          param: 'messages[1] assistant content must contain at least one part',
          type: '',
        },
      },
      'Xiaomi',
    ),
  },
  {
    // OpenAI: BloomLabsInc/genkit-plugins#225, minoism/freecc#2.
    refuses: 'order',
    status: 400,
    names: true,
    body: openai(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The " +
        'following tool_call_ids did not have response messages: call_0',
      { param: 'messages.[2].role' },
    ),
  },
  {
    // Alibaba: QwenLM/qwen-code#606 and #315.
    refuses: 'order',
    status: 400,
    names: true,
    body: openai(
      '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool ' +
        'messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: ' +
        'message[2].role',
      { code: 'invalid_parameter_error' },
    ),
  },
];

const responses: readonly Omit<RepairWording, 'format'>[] = [
  {
    // OpenAI: openai/codex#8145.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: openai('The encrypted content gAAA...DQ== could not be verified.', {
      code: 'invalid_encrypted_content',
    }),
  },
  {
    // OpenAI, later words: smallmain/vscode-unify-chat-provider#178.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: openai(
      'The encrypted content for item rs_0a18 could not be verified. Reason: Encrypted content could not be decrypted ' +
        'or parsed.',
      { code: 'invalid_encrypted_content' },
    ),
  },
  {
    // OpenAI: continuedev/continue#8933, vercel/ai#7099.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: openai("Item 'rs_0c38' of type 'reasoning' was provided without its required following item.", {
      param: 'input',
    }),
  },
  {
    // OpenAI, for the id of an item that another service made: jlcodes99/cockpit-tools#2090.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: openai("Invalid 'input[1].id': 'item_df7e'. Expected an ID that begins with 'rs'.", {
      param: 'input[1].id',
      code: 'invalid_value',
    }),
  },
  {
    // A client's backend in front of OpenAI: openai/codex#12514.
    refuses: 'thoughts',
    status: 400,
    names: false,
    body: { detail: 'Bad Request' },
  },
  {
    // OpenAI: lobehub/lobehub#8116 has the shape, with the field of chat completions.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: openai("Unsupported parameter: 'reasoning.effort' is not supported with this model.", {
      param: 'reasoning.effort',
      code: 'unsupported_parameter',
    }),
  },
  {
    // A local server in Swift: carloslfu/slotstream#19 has these words for another field.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: {
      type: 'invalid_request_error',
      code: 'invalid_request_error',
      message: 'unsupported request field(s): reasoning',
    },
  },
  {
    // An adapter in front of other services: earendil-works/pi#9057.
    refuses: 'repeated ids',
    status: 400,
    names: true,
    body: openai("Duplicate 'call_id': call_0"),
  },
  {
    // OpenAI: AnswerDotAI/fastllm#45, decolua/9router#393.
    refuses: 'foreign ids',
    status: 400,
    names: true,
    body: openai(
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with " +
        'length 116 instead.',
      { param: 'input[1].call_id', code: 'string_above_max_length' },
    ),
  },
  {
    // OpenAI: nodetool-ai/nodetool#4252.
    refuses: 'foreign ids',
    status: 400,
    names: true,
    body: openai("Invalid 'input[1].id': 'call_b4a5'. Expected an ID that begins with 'fc'.", {
      param: 'input[1].id',
      code: 'invalid_value',
    }),
  },
  {
    // OpenAI: letta-ai/letta#3137 has these words for a tool that the client made strict.
    refuses: 'strict tools',
    status: 400,
    names: true,
    body: openai(
      "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      { param: 'tools[0].parameters', code: 'invalid_function_parameters' },
    ),
  },
  {
    // Qwen in vLLM, asked by Codex: vllm-project/vllm#57522.
    refuses: 'late system',
    status: 400,
    names: true,
    body: vllm('System message must be at the beginning.'),
  },
  {
    // ChatGPT's backend: router-for-me/CLIProxyAPI#4092.
    refuses: 'late system',
    status: 400,
    names: true,
    body: { detail: 'System messages are not allowed' },
  },
  {
    // OpenAI: tjardoo/openai-client#124.
    refuses: 'order',
    status: 400,
    names: true,
    body: openai('No tool output found for function call call_0.', { param: 'input' }),
  },
  {
    // OpenAI, seen by a client that has only the text of the status: jrkropp/open-webui-developer-toolkit#717.
    refuses: 'order',
    status: 400,
    names: false,
    body: 'Bad Request',
  },
];

const messages: readonly Omit<RepairWording, 'format'>[] = [
  {
    // Anthropic: anthropics/claude-code#10627.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: anthropic('messages.1.content.0: Invalid `signature` in `thinking` block'),
  },
  {
    // Anthropic behind ZenMux, in that service's shape: NanmiCoder/cc-haha#982.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: {
      error: {
        code: '400',
        type: 'invalid_params',
        message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      },
    },
  },
  {
    // Anthropic: n8n-io/n8n#22550, anthropics/claude-code#20727. What is missing is a thought before the call.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: anthropic(
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is ' +
        'enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of ' +
        '`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid ' +
        'this requirement, disable `thinking`. Please consult our documentation at ' +
        'https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
    ),
  },
  {
    // OpenRouter's messages API, in its own shape: farion1231/cc-switch#464; without the vendor's text:
    // earendil-works/pi#6.
    refuses: 'thoughts',
    status: 400,
    names: false,
    body: { error: { message: 'Provider returned error', code: 400 }, user_id: 'user_2i' },
  },
  {
    // Anthropic's newer models: earendil-works/pi#6212.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: anthropic(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" ' +
        'to control thinking behavior.',
    ),
  },
  {
    // Anthropic's older models: docker/docker-agent#3381 (Claude Haiku 4.5).
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: anthropic('adaptive thinking is not supported on this model'),
  },
  {
    // Vertex: anthropics/anthropic-sdk-csharp#132. The effort is what it does not know.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: anthropic('output_config: Extra inputs are not permitted'),
  },
  {
    // Bedrock: vectorize-io/hindsight#3300.
    refuses: 'json_schema',
    status: 400,
    names: true,
    body: {
      message:
        'The model returned the following errors: output_config.format: Extra inputs are not permitted',
    },
  },
  {
    // A relay that checks the fields of tools: anomalyco/opencode#24696 has these words for another field.
    refuses: 'strict tools',
    status: 400,
    names: true,
    body: {
      error: {
        message:
          "Error from provider: 1 request validation errors: Extra inputs are not permitted, field: 'tools[0].strict', " +
          'value: True',
        type: 'invalid_request_error',
      },
    },
  },
  {
    // Anthropic: anthropics/claude-code#20901, anomalyco/opencode#1279.
    refuses: 'repeated ids',
    status: 400,
    names: true,
    body: anthropic('messages.3.content.0: `tool_use` ids must be unique'),
  },
  {
    // Bedrock: agno-agi/agno#2336.
    refuses: 'repeated ids',
    status: 400,
    names: true,
    body: { message: 'The toolUse blocks at messages.3.content contain duplicate Ids: tooluse_0' },
  },
  {
    // Anthropic: CommandCodeAI/command-code#323, BlockRunAI/ClawRouter#17.
    refuses: 'foreign ids',
    status: 400,
    names: true,
    body: anthropic("messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
  },
  {
    // Anthropic's older models: anthropics/claude-agent-sdk-typescript#350.
    refuses: 'late system',
    status: 400,
    names: true,
    body: anthropic(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an ' +
        'input message role.',
    ),
  },
  {
    // Anthropic's newer models, for a place where they take none: anthropics/claude-code#73821.
    refuses: 'late system',
    status: 400,
    names: true,
    body: anthropic("messages.2: role 'system' must precede an 'assistant' message or end the array"),
  },
  {
    // A proxy in Rust, in serde's words: katanemo/plano#967.
    refuses: 'late system',
    status: 400,
    names: true,
    body: {
      error: {
        code: 'InvalidRequest',
        message: 'Invalid request',
        details: {
          reason:
            'Failed to parse request: unknown variant `system`, expected `user` or `assistant` at line 1 column 4677',
        },
      },
    },
  },
  {
    // Anthropic: anthropics/claude-code#6696, lijunzh/koda#501.
    refuses: 'input no object',
    status: 400,
    names: true,
    body: anthropic('messages.1.content.0.tool_use.input: Input should be a valid dictionary'),
  },
  {
    // Kimi's own messages API: VicBilibily/GCMP#162.
    refuses: 'missing reasoning_content',
    status: 400,
    names: true,
    body: {
      error: {
        type: 'invalid_request_error',
        message:
          'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
      },
      type: 'error',
    },
  },
  {
    // Anthropic: anthropics/claude-code#59812.
    refuses: 'empty text',
    status: 400,
    names: true,
    body: anthropic('messages: text content blocks must be non-empty'),
  },
  {
    // Bedrock: OpenHands/OpenHands#5339.
    refuses: 'empty text',
    status: 400,
    names: true,
    body: {
      message:
        'The text field in the ContentBlock object at messages.1.content.0 is blank. Add text to the text field, and try ' +
        'again.',
    },
  },
  {
    // Anthropic behind a relay that wraps it: ding113/claude-code-hub#518.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: {
      type: 'error',
      error: {
        type: 'request_fail',
        upstream_error: anthropic('messages.1.content.0: Invalid `signature` in `thinking` block'),
      },
      request_id: 'req_011C',
    },
  },
  {
    // A relay that tells the status alone: openai/codex#12514 and rowboatlabs/rowboat#696 are such.
    refuses: 'empty text',
    status: 400,
    names: false,
    body: { type: 'error', error: { type: 'invalid_request_error', message: 'Bad Request' } },
  },
  {
    // Z.ai in Chinese: musistudio/claude-code-router#429.
    refuses: 'thinking setting',
    status: 400,
    names: false,
    body: {
      error: { code: '1210', message: 'API 调用参数有误，请检查文档。' },
      request_id: 'd6b1b62b-c639-48ff-97e2-6c454bbb23d8',
    },
  },
  {
    // Anthropic: anthropics/claude-code#5060.
    refuses: 'order',
    status: 400,
    names: true,
    body: anthropic(
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_0. Each `tool_use` ' +
        'block must have a corresponding `tool_result` block in the next message.',
    ),
  },
  {
    // Anthropic behind OpenRouter: router-for-me/CLIProxyAPI#497.
    refuses: 'order',
    status: 400,
    names: true,
    body: openrouter(
      anthropic(
        'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_0. Each `tool_result` ' +
          'block must have a corresponding `tool_use` block in the previous message.',
      ),
      'Anthropic',
    ),
  },
  {
    // Z.ai, for a dialogue in an order that its template does not take: anomalyco/opencode#2557, continuedev/continue#13259.
    refuses: 'order',
    status: 400,
    names: false,
    body: {
      error: { code: '1214', message: 'The messages parameter is illegal. Please check the documentation.' },
    },
  },
];

const generateContent: readonly Omit<RepairWording, 'format'>[] = [
  {
    // Google: crmne/ruby_llm#521, weave-os/router#914.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: google(
      `Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for "openai#abc"`,
    ),
  },
  {
    // Vertex: NoeFabris/opencode-antigravity-auth#368. The stream of an array wraps the error in one.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: [
      google(
        'Unable to submit request because Thought signature is not valid.. Learn more: ' +
          'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini',
        {
          errors: [
            {
              message: 'Unable to submit request because Thought signature is not valid..',
              domain: 'global',
              reason: 'badRequest',
            },
          ],
        },
      ),
    ],
  },
  {
    // Google, Gemini 3: lbjlaq/Antigravity-Manager#3202 and #733.
    refuses: 'thoughts',
    status: 400,
    names: true,
    body: google(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
        'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function ' +
        'call `default_api:f` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures ' +
        'for more details.',
    ),
  },
  {
    // A relay that gives the code alone: lobehub/lobehub#7298.
    refuses: 'thoughts',
    status: 400,
    names: false,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { provider_name: 'Google AI Studio' },
      },
    },
  },
  {
    // Google: RooCodeInc/Roo-Code#10700.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: google('Thinking level is not supported for this model.'),
  },
  {
    // Google, Gemini 2.0: immersive-translate/immersive-translate#2976.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: google('thinking_config is not supported.'),
  },
  {
    // Vertex: google-gemini/gemini-cli#1953, lobehub/lobehub#7985.
    refuses: 'thinking setting',
    status: 400,
    names: true,
    body: google(
      'Unable to submit request because Thinking_config.include_thoughts is only enabled when thinking is enabled.. ' +
        'Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini',
    ),
  },
  {
    // Google, in protobuf's words for any unknown field: HELPMEEADICE/doge-code#16, bestruirui/octopus#67.
    refuses: 'json_schema',
    status: 400,
    names: true,
    body: unknownName('additionalProperties', 'generation_config.response_schema'),
  },
  {
    // Vertex until September 2026: JetBrains/koog#735, agentjido/req_llm#414, vercel/ai#15664, pydantic/pydantic-ai#5081.
    refuses: 'any ids',
    status: 400,
    names: true,
    body: unknownName('id', 'contents[1].parts[0].function_call'),
  },
  {
    // Vertex, in other words: mlflow/mlflow#24127.
    refuses: 'any ids',
    status: 400,
    names: false,
    body: google('Request contains an invalid argument.'),
  },
  {
    // Google, in protobuf's words: symfony/ai#2040 has them for the response of a function.
    refuses: 'input no object',
    status: 400,
    names: true,
    body: google(
      `Invalid JSON payload received. Unknown name "args" at 'contents[1].parts[0].function_call': Proto field is not ` +
        'repeating, cannot start list.',
    ),
  },
  {
    // Google: router-for-me/CLIProxyAPI#1292, 54xzh/FLIT#69.
    refuses: 'empty text',
    status: 400,
    names: true,
    body: google(
      "* GenerateContentRequest.contents[1].parts[0].data: required oneof field 'data' must have one initialized field\n",
    ),
  },
  {
    // Google: vercel/ai#3775, egoist/chatwise-releases#250.
    refuses: 'empty text',
    status: 400,
    names: true,
    body: google('* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n'),
  },
  {
    // Vertex: google-gemini/deprecated-generative-ai-python#697.
    refuses: 'empty text',
    status: 400,
    names: true,
    body: google(
      'Unable to submit request because it has an empty text parameter. Add a value to the parameter and try again. ' +
        'Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini',
    ),
  },
  {
    // Google: google-gemini/gemini-cli#26486, continuedev/continue#11164.
    refuses: 'order',
    status: 400,
    names: true,
    body: google(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    ),
  },
  {
    // Google, without a word of what: iBUHub/AIStudioToAPI#265 has the status alone.
    refuses: 'order',
    status: 400,
    names: false,
    body: google('Request contains an invalid argument.'),
  },
  {
    // Google: google-gemini/gemini-cli#17208.
    refuses: 'order',
    status: 400,
    names: true,
    body: google(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
        'function call turn.',
    ),
  },
  {
    // Google's SDK, which wraps what the service has said: googleapis/js-genai#371.
    refuses: 'json_schema',
    status: 400,
    names: false,
    body: { error: { message: 'exception parsing response', code: 400, status: 'Bad Request' } },
  },
];

/** Every wording, by format. */
export const repairWordings: readonly RepairWording[] = [
  ...chatCompletions.map((one): RepairWording => ({ format: 'chat-completions', ...one })),
  ...responses.map((one): RepairWording => ({ format: 'responses', ...one })),
  ...messages.map((one): RepairWording => ({ format: 'messages', ...one })),
  ...generateContent.map((one): RepairWording => ({ format: 'generate-content', ...one })),
];
