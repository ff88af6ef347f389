/** Clients written in Java, against a running gateway. Their tests are in `test/clients/java`; each is a test here too. */

import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'vitest';
import { isAvailable, JAVA } from '../support/programs.ts';
import { addVersions, holdResults, type Outcome } from './client-results.ts';
import { startRecordedGateway } from './recorded-gateway.ts';
import { parseOutcomes, runProgram } from './run-program.ts';

const FOLDER = join(import.meta.dirname, 'java');

/** Each client, the artifact of which it is part, and its tests. */
const CLIENTS = [
  ['openai-java (chat-completions)', 'openai-java', 'OpenaiChat'],
  ['openai-java (responses)', 'openai-java', 'OpenaiResponses'],
  ['anthropic-java', 'anthropic-java', 'Anthropic'],
  ['google-genai', 'google-genai', 'GoogleGenai'],
  ['LangChain4j (OpenAI)', 'langchain4j-open-ai', 'Langchain4jOpenai'],
  ['LangChain4j (Anthropic)', 'langchain4j-anthropic', 'Langchain4jAnthropic'],
  ['LangChain4j (Google)', 'langchain4j-google-ai-gemini', 'Langchain4jGemini'],
] as const;

if (isAvailable(JAVA)) {
  const outcomes = await runJava();
  const clients = addVersions(CLIENTS, join(FOLDER, 'pom.xml'), findVersion);
  holdResults('Java', outcomes, clients, join(FOLDER, 'results.json'));
} else {
  test.skip('clients in Java', () => {});
}

/** Compiles and runs the tests. @throws Error if they do not compile, or end early. */
async function runJava(): Promise<readonly Outcome[]> {
  await runProgram(FOLDER, 'mvn', ['--quiet', '--batch-mode', 'compile']);
  const gateway = await startRecordedGateway();
  try {
    const classes = join(FOLDER, 'target/classes');
    const libraries = readFileSync(join(FOLDER, 'target/classpath'), 'utf8');
    // Most of them run once, so that compiling them well costs more than it saves.
    const flags = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];
    const printed = await runProgram(
      FOLDER,
      'java',
      [...flags, '-cp', classes + delimiter + libraries, 'clients.Main'],
      gateway.environment,
    );
    return parseOutcomes(printed);
  } finally {
    await gateway.close();
  }
}

function findVersion(pom: string, artifact: string): string | undefined {
  const place = new RegExp(`<artifactId>${artifact}</artifactId><version>(?:\\$\\{(.*)\\}|(.*))</version>`);
  const [, property, written] = place.exec(pom) ?? [];
  if (property === undefined) return written;
  return new RegExp(`<${property}>(.*)</${property}>`).exec(pom)?.[1];
}
