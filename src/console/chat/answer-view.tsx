/** An answer, as it streams in: thoughts, text, calls, images and citations, and what it took. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Markdown } from '../markdown/markdown.tsx';
import { CopyButton } from '../shell/copy-button.tsx';
import { Problem } from '../shell/fields.tsx';
import { Icon } from '../shell/icons.tsx';
import { type AnswerNode, type Block, type Trace, writtenText } from './conversation.ts';
import { Inspector } from './inspector.tsx';
import { describeMeter } from './meter.ts';
import { Picture } from './picture.tsx';

export interface AnswerActions {
  readonly onRegenerate: () => void;
  readonly onRegenerateWith: () => void;
}

export function AnswerView({
  node,
  branches,
  readTrace,
  actions,
}: {
  node: AnswerNode;
  /** Chooses between this answer and others in its place. */
  branches: ComponentChildren;
  readTrace: () => Promise<Trace | undefined>;
  /** Absent while an answer is running. */
  actions: AnswerActions | undefined;
}) {
  const [isInspected, setInspected] = useState(false);
  const by = `${node.model} · ${node.format}`;
  const isElsewhere = node.state === 'elsewhere';
  const isRunning = node.state === 'streaming' || isElsewhere;
  return (
    <article class="answer" aria-label={by} aria-busy={isRunning}>
      <header class="by">
        <h2>{node.model}</h2> <span>{node.format}</span>
      </header>
      {node.blocks.map((block, at) => (
        <BlockView key={at} block={block} isComplete={!isRunning || at < node.blocks.length - 1} />
      ))}
      {isRunning && (
        <p class="waiting">
          <span class={isElsewhere ? '' : 'visually-hidden'}>
            {isElsewhere ? 'Another tab is receiving this answer.' : 'Answering'}
          </span>
        </p>
      )}
      {node.citations.length > 0 && <Citations node={node} />}
      {node.state === 'failed' && <Problem text={node.error} />}
      {node.state === 'stopped' && <p class="error">Stopped.</p>}
      <p class="meter">
        {describeMeter(node).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {!isRunning && (
        <div class="after">
          {branches}
          {writtenText(node) && <CopyButton label="Copy the answer" text={() => writtenText(node)} />}
          {actions && (
            <>
              <button type="button" class="quiet" onClick={actions.onRegenerate}>
                <Icon name="redo" /> Regenerate
              </button>
              <button type="button" class="quiet" onClick={actions.onRegenerateWith}>
                With another model
              </button>
            </>
          )}
          <button type="button" class="quiet" onClick={() => setInspected(true)}>
            <Icon name="inspect" /> Inspect
          </button>
        </div>
      )}
      {isInspected && <Inspector node={node} readTrace={readTrace} onClose={() => setInspected(false)} />}
    </article>
  );
}

function BlockView({ block, isComplete }: { block: Block; isComplete: boolean }) {
  switch (block.kind) {
    case 'text':
      return <Markdown text={block.text} isComplete={isComplete} />;
    case 'thinking':
      return (
        <details class="thinking" open={!isComplete}>
          <summary>{isComplete ? 'Thought' : 'Thinking'}</summary>
          <div dir="auto">{block.text}</div>
        </details>
      );
    case 'call':
      return (
        <div class="call">
          <h3>{block.name}()</h3>
          <pre>{block.arguments}</pre>
        </div>
      );
    case 'image':
      return <Picture type={block.image.type} data={block.image.data} label="An image of the answer" />;
  }
}

function Citations({ node: { citations } }: { node: AnswerNode }) {
  const distinct = new Map(citations.map((citation) => [citation.url || citation.title, citation]));
  return (
    <section class="citations" aria-label="Sources">
      <h3>Sources</h3>
      <ol>
        {[...distinct.values()].map(({ url, title }) => (
          <li key={url || title}>
            {/^https?:/.test(url) ? (
              <a href={url} rel="noopener noreferrer nofollow" target="_blank">
                {title || url}
              </a>
            ) : (
              title
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
