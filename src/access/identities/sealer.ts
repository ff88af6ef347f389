/**
 * Values that a browser keeps for the gateway and can neither read nor change: encrypted and authenticated (JWE, `dir`
 * with A256GCM), with an end. No process has to remember them, so any replica accepts what another one has sealed.
 */

import { createHash } from 'node:crypto';

export interface Sealer {
  /** Seals a value for some seconds. */
  seal(value: Readonly<Record<string, string>>, seconds: number): Promise<string>;
  /** The value; undefined if the text is not one of this seal, or its time is over. */
  open(text: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/**
 * Makes a seal.
 * @param secret what is current; a new one ends all that was sealed before
 * @param purpose what is sealed for one purpose cannot be opened for another
 */
export function makeSealer(secret: () => string, purpose: string): Sealer {
  const key = (): Buffer => createHash('sha256').update(`${purpose}\0${secret()}`).digest();
  return {
    async seal(value, seconds) {
      const { EncryptJWT } = await import('jose');
      return new EncryptJWT({ ...value })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${seconds}s`)
        .encrypt(key());
    },
    async open(text) {
      const { jwtDecrypt, errors } = await import('jose');
      try {
        const { payload } = await jwtDecrypt(text, key(), {
          requiredClaims: ['exp'],
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        });
        return payload;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}
