/** The turns of a conversation: in one column, or in two where two models answer. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AnswerView } from './answer-view.tsx';
import { Branches } from './branches.tsx';
import type { Chat } from './chat.ts';
import { answerCalls, findBranches, type Node, pathTo } from './conversation.ts';
import { ResultsForm, ResultsView } from './results-view.tsx';
import { UserView } from './user-view.tsx';

/** How near the end of the log counts as its end, in CSS pixels. */
const NEAR = 80;

/** Rows that are rendered in one frame when a conversation is opened. They fill any screen. */
const ROWS_PER_FRAME = 16;

/** It begins anew with each conversation, whose id is its key. */
export function Log({
  chat,
  welcome,
  onRegenerateWith,
}: {
  chat: Chat;
  welcome: ComponentChildren;
  /** Lets the user choose another model for an answer. It must be the same function each time. */
  onRegenerateWith: (lane: number, node: Node) => void;
}) {
  const conversation = chat.conversation.value;
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // The log scrolls along with what is added at its end, unless the reader has scrolled up.
  useLayoutEffect(() => {
    if (log.current && isAtEnd.current) log.current.scrollTop = log.current.scrollHeight;
  });
  const paths = conversation.lanes.map((lane) => pathTo(conversation, lane.leaf));
  const rows = Array.from({ length: Math.max(...paths.map(({ length }) => length)) }, (_, at) =>
    paths.map((path) => path[at]),
  );
  const from = useFirstRow(rows.length);
  const view = (lane: number, node: Node | undefined, path: readonly Node[]) =>
    node && (
      <Turn
        key={node.id}
        chat={chat}
        lane={lane}
        node={node}
        isLast={path.at(-1) === node}
        onRegenerateWith={onRegenerateWith}
      />
    );
  return (
    <div
      id="log"
      ref={log}
      role="region"
      tabIndex={0}
      aria-label="Conversation"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {rows.length > 0 && <h1 class="visually-hidden">{conversation.title}</h1>}
      {rows.length === 0
        ? welcome
        : rows.slice(from).map((row, at) =>
            isShared(row) ? (
              <div class="turn" key={from + at}>
                {view(0, row[0], paths[0] ?? [])}
              </div>
            ) : (
              <div class="turn two" key={from + at}>
                {row.map((node, lane) => (
                  <div key={lane}>{view(lane, node, paths[lane] ?? [])}</div>
                ))}
              </div>
            ),
          )}
    </div>
  );
}

/**
 * The first row that is rendered. The last rows of a conversation come at once and those before them frame by frame, so
 * that a long one opens as fast as a short one. All are there soon after, and can be found in the page.
 * @param length the number of rows when the conversation is opened
 */
function useFirstRow(length: number): number {
  const [first, setFirst] = useState(Math.max(0, length - ROWS_PER_FRAME));
  useEffect(() => {
    if (first === 0) return;
    const frame = requestAnimationFrame(() => setFirst(Math.max(0, first - ROWS_PER_FRAME)));
    return () => cancelAnimationFrame(frame);
  }, [first]);
  return first;
}

/** Whether all lanes show the same at one place: the same node, or messages of the user with the same text. */
function isShared(row: readonly (Node | undefined)[]): boolean {
  const [first] = row;
  return row.every(
    (node) =>
      node?.id === first?.id || (node?.kind === 'user' && first?.kind === 'user' && node.text === first.text),
  );
}

/**
 * One turn. A component that reads a signal is only rendered again for other properties or another value of the signal
 * (@preact/signals), so that a word of the last answer costs no rendering of the turns before it. It therefore does not
 * follow the conversation, whose branches only become others while an answer is running.
 */
function Turn({
  chat,
  lane,
  node,
  isLast,
  onRegenerateWith,
}: {
  chat: Chat;
  lane: number;
  node: Node;
  /** Whether nothing follows it in its lane. */
  isLast: boolean;
  onRegenerateWith: (lane: number, node: Node) => void;
}) {
  const isBusy = chat.isBusy.value;
  const conversation = chat.conversation.peek();
  const branches = (
    <Branches
      node={node}
      all={isBusy ? [] : findBranches(conversation, node)}
      onShow={(other) => chat.showBranch(lane, other)}
    />
  );
  switch (node.kind) {
    case 'user':
      return (
        <UserView
          node={node}
          branches={branches}
          onEdit={isBusy ? undefined : (text) => chat.edit(lane, node, text)}
        />
      );
    case 'results': {
      const asking = conversation.nodes[node.parent ?? ''];
      if (asking?.kind !== 'answer') return null;
      return (
        <ResultsView
          node={node}
          calls={answerCalls(asking)}
          branches={branches}
          onChange={isBusy ? undefined : (results) => chat.giveResults(lane, asking, results)}
        />
      );
    }
    case 'answer': {
      const calls = isLast ? answerCalls(node) : [];
      return (
        <>
          <AnswerView
            node={node}
            branches={branches}
            readTrace={() => chat.readTrace(node)}
            actions={
              isBusy
                ? undefined
                : {
                    onRegenerate: () => chat.regenerate(lane, node),
                    onRegenerateWith: () => onRegenerateWith(lane, node),
                  }
            }
          />
          {calls.length > 0 && (
            <ResultsForm calls={calls} onResults={(results) => chat.giveResults(lane, node, results)} />
          )}
        </>
      );
    }
  }
}
