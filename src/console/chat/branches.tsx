/** Chooses between the branches that continue the same node. */

import type { Node } from './conversation.ts';

export function Branches({
  node,
  all,
  onShow,
}: {
  node: Node;
  all: readonly Node[];
  onShow: (node: Node) => void;
}) {
  const at = all.findIndex(({ id }) => id === node.id);
  if (all.length < 2) return null;
  const show = (step: number): void => {
    const next = all[at + step];
    if (next) onShow(next);
  };
  return (
    <span class="branches" role="group" aria-label="Branches">
      <button
        type="button"
        class="quiet"
        aria-label="Previous branch"
        disabled={at === 0}
        onClick={() => show(-1)}
      >
        ‹
      </button>
      {at + 1} / {all.length}
      <button
        type="button"
        class="quiet"
        aria-label="Next branch"
        disabled={at === all.length - 1}
        onClick={() => show(1)}
      >
        ›
      </button>
    </span>
  );
}
