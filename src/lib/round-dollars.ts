/** Dollars without the rounding errors of binary fractions: 0.3 instead of 0.30000000000000004, and 0 instead of -2e-17. */
export function roundDollars(amount: number): number {
  return Number(Number(amount.toPrecision(12)).toFixed(12));
}
