import { GatewayError } from '../../src/lib/errors.ts';

/** The error that `run` throws. @throws Error if it throws none, and whatever else it throws. */
export function gatewayErrorOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('No error was thrown.');
}
