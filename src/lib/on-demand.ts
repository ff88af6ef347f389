/** Values that are made when they are first asked for: few processes need them, and all would wait for them at their start. */

/** @returns a function that makes the value once, and returns it ever after. */
export function onDemand<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
