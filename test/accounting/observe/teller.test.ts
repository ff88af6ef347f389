import { expect, test, vi } from 'vitest';
import { openDiagnostics } from '../../../src/lib/diagnostics.ts';

test('after a log has ended nothing is written to it', () => {
  const [out, errors] = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  try {
    const teller = openDiagnostics();
    teller.into({ note: say, problem: say });
    teller.info('It is read again.');
    teller.end();
    teller.info('It is read once more.');
    expect(said).toEqual(['It is read again.']);
    expect(out).not.toHaveBeenCalled();
    errors.mockImplementation(() => {});
    teller.problem('It cannot be read.');
    expect(errors).toHaveBeenCalledWith('It cannot be read.');
  } finally {
    vi.restoreAllMocks();
  }
});
