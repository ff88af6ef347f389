/**
 * Markdown as elements. The text of a model never becomes HTML: each token is rendered to an element of its own, an image
 * to a link, and an address only if it is safe to follow.
 */

import type { Token } from 'markdown-it';
import { type ComponentChildren, h } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { CodeBlock } from './code-block.tsx';
import { Formula } from './formula.tsx';
import { createParser, type Parser } from './parse.ts';

/** What has been rendered of a text that grows: its finished blocks, and where the last, unfinished one begins. */
interface Progress {
  readonly parser: Parser;
  readonly text: string;
  readonly rendered: readonly ComponentChildren[];
}

/** @param props `isComplete`: whether the text has ended, so that its last code block can be highlighted */
export function Markdown({ text, isComplete }: { text: string; isComplete: boolean }) {
  const kept = useRef<Progress | undefined>(undefined);
  const children = useMemo(() => {
    const parser = kept.current?.parser ?? createParser();
    const before = kept.current && text.startsWith(kept.current.text) ? kept.current : undefined;
    const start = before?.text.length ?? 0;
    const tail = text.slice(start);
    const tokens = parser.parse(tail);
    const blocks = splitBlocks(tokens);
    const last = blocks.at(-1);
    const line = last?.[0]?.map?.[0] ?? 0;
    const rendered = blocks.map((block, at) => renderTokens(block, isComplete || at < blocks.length - 1));
    const all = [...(before?.rendered ?? []), ...rendered];
    // All blocks but the last are finished: they are not parsed again.
    const finished = line > 0 ? start + offsetOfLine(tail, line) : start;
    kept.current = {
      parser,
      text: text.slice(0, finished),
      rendered: line > 0 ? all.slice(0, -1) : (before?.rendered ?? []),
    };
    return all;
  }, [text, isComplete]);
  return <div class="markdown">{children}</div>;
}

/** Divides tokens into those of each outermost block. */
function splitBlocks(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const blocks: Token[][] = [];
  let open: Token[] = [];
  let depth = 0;
  for (const token of tokens) {
    open.push(token);
    depth += token.nesting;
    if (depth === 0) {
      blocks.push(open);
      open = [];
    }
  }
  return open.length > 0 ? [...blocks, open] : blocks;
}

function offsetOfLine(text: string, line: number): number {
  const ends = /\r\n|\n|\r/g;
  for (let at = 0; at < line; at += 1) if (ends.exec(text) === null) return text.length;
  return ends.lastIndex;
}

/** Renders a list of tokens, in which each opening one has its closing one. */
function renderTokens(tokens: readonly Token[], isFinished: boolean): ComponentChildren[] {
  const rendered: ComponentChildren[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (token.nesting === 1) {
      const end = findClosing(tokens, at);
      rendered.push(renderElement(token, renderTokens(tokens.slice(at + 1, end), isFinished)));
      at = end;
    } else rendered.push(renderToken(token, isFinished));
  }
  return rendered;
}

function findClosing(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    depth += tokens[at]?.nesting ?? 0;
    if (depth === 0) return at;
  }
  return tokens.length;
}

function renderElement(token: Token, children: ComponentChildren[]): ComponentChildren {
  switch (token.type) {
    case 'paragraph_open':
      return token.hidden ? children : <p dir="auto">{children}</p>;
    case 'heading_open':
      // The page has headings of its own above those of an answer.
      return /^h[1-2]$/.test(token.tag) ? <h3 dir="auto">{children}</h3> : <h4 dir="auto">{children}</h4>;
    case 'ordered_list_open': {
      const start = Number(token.attrGet('start') ?? 1);
      return (
        <ol dir="auto" {...(start !== 1 && { start })}>
          {children}
        </ol>
      );
    }
    case 'bullet_list_open':
    case 'list_item_open':
    case 'blockquote_open':
      return h(token.tag, { dir: 'auto' }, children);
    case 'table_open':
      return (
        // A group, since an answer with many tables would otherwise have many landmarks of the same name.
        <div class="table-scroll" tabIndex={0} role="group" aria-label="Table">
          <table>{children}</table>
        </div>
      );
    case 'thead_open':
    case 'tbody_open':
    case 'tr_open':
    case 'strong_open':
    case 'em_open':
      return h(token.tag, null, children);
    case 'th_open':
    case 'td_open':
      return h(token.tag, { class: getAlign(token) }, children);
    case 's_open':
      return <del>{children}</del>;
    case 'link_open':
      return (
        <a href={findAttribute(token, 'href')} rel="noopener noreferrer nofollow" target="_blank">
          {children}
        </a>
      );
    default:
      return children;
  }
}

function renderToken(token: Token, isFinished: boolean): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return renderTokens(withTasks(token.children ?? []), isFinished);
    case 'text':
      return token.content;
    case 'code_inline':
      return <code dir="ltr">{token.content}</code>;
    case 'softbreak':
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr />;
    case 'fence':
    case 'code_block':
      return (
        <CodeBlock
          code={token.content.replace(/\n$/, '')}
          language={token.info.trim().split(/\s/)[0] ?? ''}
          isFinished={isFinished}
        />
      );
    case 'math':
      return <Formula formula={token.content} isBlock={token.markup === '$$'} />;
    case 'image':
      return (
        <a href={findAttribute(token, 'src')} rel="noopener noreferrer nofollow" target="_blank">
          {token.content || findAttribute(token, 'src')}
        </a>
      );
    default:
      return token.content;
  }
}

/** A list item that begins with `[x]` or `[ ]` is a task. */
function withTasks(tokens: readonly Token[]): readonly Token[] {
  const [first] = tokens;
  if (first?.type === 'text' && /^\[[ xX]\] /.test(first.content)) {
    first.content = `${first.content[1] === ' ' ? '☐' : '☑'} ${first.content.slice(4)}`;
  }
  return tokens;
}

function findAttribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

function getAlign(token: Token): string {
  const [, align] = /text-align:(\w+)/.exec(findAttribute(token, 'style')) ?? [];
  return align === undefined ? '' : `align-${align}`;
}
