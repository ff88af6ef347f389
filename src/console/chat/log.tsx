/** The turns of a conversation: in one column, or in two where two models answer. */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { AnswerView } from './answer-view.tsx';
import { Branches } from './branches.tsx';
import type { Chat } from './chat.ts';
import { answerCalls, findBranches, type Node, pathTo } from './conversation.ts';
import { ResultsForm, ResultsView } from './results-view.tsx';
import { UserView } from './user-view.tsx';

/** How near the end of the log counts as its end, in CSS pixels. */
const NEAR = 80;

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
        : rows.map((row, at) =>
            isShared(row) ? (
              <div class="turn" key={at}>
                {view(0, row[0], paths[0] ?? [])}
              </div>
            ) : (
              <div class="turn two" key={at}>
                {row.map((node, lane) => (
                  <div key={lane}>{view(lane, node, paths[lane] ?? [])}</div>
                ))}
              </div>
            ),
          )}
    </div>
  );
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
