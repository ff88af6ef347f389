/**
 * Values that a browser keeps for the gateway and can neither read nor change: encrypted and authenticated (JWE, `dir`
 * with A256GCM), with an end. No process has to remember them, so any replica accepts what another one has sealed.
 */

import { createHmac } from 'node:crypto';

/** What seals are made with. */
export interface SealSecrets {
  /** Random, and the same for all replicas. Whoever has something sealed could find a secret that can be guessed. */
  readonly random: () => Promise<Buffer>;
  /** What is current; a new one ends all that was sealed before. */
  readonly current: () => string;
}

/** Makes a seal. @param purpose what is sealed for one purpose cannot be opened for another */
export function makeSealer({ random, current }: SealSecrets, purpose: string) {
  const key = async (): Promise<Buffer> =>
    createHmac('sha256', await random())
      .update(`${purpose}\0${current()}`)
      .digest();
  return {
    /** Seals a value for some seconds. */
    async seal(value: Readonly<Record<string, string>>, seconds: number): Promise<string> {
      const { EncryptJWT } = await import('jose');
      return new EncryptJWT({ ...value })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setExpirationTime(`${seconds}s`)
        .encrypt(await key());
    },
    /** The value; undefined if the text is not one of this seal, or its time is over. */
    async open(text: string): Promise<Readonly<Record<string, unknown>> | undefined> {
      const { jwtDecrypt, errors } = await import('jose');
      const opener = await key();
      try {
        const { payload } = await jwtDecrypt(text, opener, {
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
