/**
 * A formula, as MathML: browsers draw it with their own fonts, and screen readers read it. The package that reads TeX is
 * loaded when an answer first has a formula.
 */

import { useEffect, useRef } from 'preact/hooks';

/** The largest size that a formula may ask for, in em: without a bound, one could cover the page. */
const MAX_SIZE = 20;

export function Formula({ formula, isBlock }: { formula: string; isBlock: boolean }) {
  const host = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    let isCurrent = true;
    import('katex')
      .then(({ default: katex }) => {
        if (isCurrent)
          katex.render(formula, element, {
            output: 'mathml',
            displayMode: isBlock,
            throwOnError: true,
            maxSize: MAX_SIZE,
          });
      })
      // What is no TeX, or not yet, stays as the model wrote it.
      .catch(() => {
        if (isCurrent) element.textContent = formula;
      });
    return () => {
      isCurrent = false;
    };
  }, [formula, isBlock]);
  return (
    <span class={isBlock ? 'formula block' : 'formula'} ref={host}>
      {formula}
    </span>
  );
}
