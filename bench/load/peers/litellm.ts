/** LiteLLM's proxy: a Python package, in a virtual environment of its own. */

import { join } from 'node:path';
import { startAmong } from '../processes.ts';
import { installed } from './install.ts';
import { askPlainly, type Named, PEER_KEY, type Peer } from './peer.ts';

const VERSION = '1.108.7';

/** The file of its settings: JSON is YAML. */
function settings(upstream: number): string {
  const address = `http://127.0.0.1:${upstream}`;
  const model = (name: string, provider: string, base: string) => ({
    model_name: name,
    litellm_params: { model: `${provider}/${name}`, api_base: base, api_key: 'sk-bench' },
  });
  return JSON.stringify({
    model_list: [
      model('gpt-4.1', 'openai', `${address}/v1`),
      model('claude-sonnet-4-5', 'anthropic', address),
      model('gemini-2.5-flash', 'gemini', `${address}/v1beta`),
    ],
    // Without it a messages request to an OpenAI model goes to the vendor's responses, which no scenario has.
    litellm_settings: { use_chat_completions_url_for_anthropic_messages: true },
    // It refuses to start with a key that its documents show.
    general_settings: { master_key: PEER_KEY },
  });
}

/** The folder of its virtual environment, which is made if it is not there. */
function folderOf(version: string): string {
  return installed(`litellm-${version}`, 'bin/litellm', (folder) => [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin/pip'), 'install', '--quiet', `litellm[proxy]==${version}`],
  ]);
}

export function litellm({ version, program, upstream }: Named): Peer {
  const installs = version ?? VERSION;
  return {
    name: 'litellm',
    version: version ?? (program === undefined ? VERSION : 'unknown'),
    setup:
      'from PyPI (`litellm[proxy]`), one worker of uvicorn with uvloop, a master key, no database; off: the download of its price list (`LITELLM_LOCAL_MODEL_COST_MAP`), log lines below errors (`LITELLM_LOG=ERROR`), the developer’s `.env` (`LITELLM_MODE=PRODUCTION`); `use_chat_completions_url_for_anthropic_messages` is on',
    start: (port) =>
      startAmong(
        { 'settings.yaml': settings(upstream) },
        [
          program ?? join(folderOf(installs), 'bin/litellm'),
          ...['--config', 'settings.yaml', '--host', '127.0.0.1', '--port', String(port)],
        ],
        port,
        {
          core: '0',
          env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR', LITELLM_MODE: 'PRODUCTION' },
          quiet: true,
        },
      ),
    request: askPlainly,
  };
}
