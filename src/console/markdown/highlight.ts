/**
 * Colours code. Each language is a file of its own, which is loaded when an answer first uses it. The engine is the one
 * in JavaScript, since the page's policy allows no WebAssembly.
 */

import { createHighlighterCore, type HighlighterCore, type LanguageRegistration } from '@shikijs/core';
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import dark from '@shikijs/themes/github-dark-default';
import light from '@shikijs/themes/github-light-high-contrast';

/** A line of code as texts and their colours, one for each theme of the page. */
export type ColouredLine = readonly { readonly text: string; readonly style: Record<string, string> }[];

type Loader = () => Promise<{ readonly default: LanguageRegistration[] }>;

const LANGUAGES: Readonly<Record<string, Loader>> = {
  bash: () => import('@shikijs/langs/bash'),
  c: () => import('@shikijs/langs/c'),
  csharp: () => import('@shikijs/langs/csharp'),
  css: () => import('@shikijs/langs/css'),
  diff: () => import('@shikijs/langs/diff'),
  dockerfile: () => import('@shikijs/langs/dockerfile'),
  go: () => import('@shikijs/langs/go'),
  html: () => import('@shikijs/langs/html'),
  java: () => import('@shikijs/langs/java'),
  javascript: () => import('@shikijs/langs/javascript'),
  json: () => import('@shikijs/langs/json'),
  kotlin: () => import('@shikijs/langs/kotlin'),
  latex: () => import('@shikijs/langs/latex'),
  lua: () => import('@shikijs/langs/lua'),
  markdown: () => import('@shikijs/langs/markdown'),
  php: () => import('@shikijs/langs/php'),
  powershell: () => import('@shikijs/langs/powershell'),
  python: () => import('@shikijs/langs/python'),
  r: () => import('@shikijs/langs/r'),
  rust: () => import('@shikijs/langs/rust'),
  sql: () => import('@shikijs/langs/sql'),
  swift: () => import('@shikijs/langs/swift'),
  toml: () => import('@shikijs/langs/toml'),
  typescript: () => import('@shikijs/langs/typescript'),
  xml: () => import('@shikijs/langs/xml'),
  yaml: () => import('@shikijs/langs/yaml'),
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  'c++': 'c',
  'c#': 'csharp',
  cpp: 'c',
  cs: 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  js: 'javascript',
  jsx: 'javascript',
  jsonc: 'json',
  kt: 'kotlin',
  md: 'markdown',
  ps1: 'powershell',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  tex: 'latex',
  ts: 'typescript',
  tsx: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

const opened: Promise<HighlighterCore> = createHighlighterCore({
  themes: [light, dark],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});

/**
 * Colours code in a language, by its name or a common short form.
 * @returns undefined if the language is not known
 */
export async function highlight(code: string, name: string): Promise<readonly ColouredLine[] | undefined> {
  const asked = name.toLowerCase();
  const lang = OTHER_NAMES[asked] ?? asked;
  const load = LANGUAGES[lang];
  if (load === undefined) return undefined;
  const highlighter = await opened;
  if (!highlighter.getLoadedLanguages().includes(lang)) await highlighter.loadLanguage(load);
  const { tokens } = highlighter.codeToTokens(code, {
    lang,
    themes: { light: 'github-light-high-contrast', dark: 'github-dark-default' },
    defaultColor: false,
  });
  return tokens.map((line) =>
    line.map(({ content, htmlStyle }) => ({
      text: content,
      style: Object.fromEntries(Object.entries(htmlStyle ?? {}).map(([key, value]) => [key, String(value)])),
    })),
  );
}
