/** The part of gifenc that is used here; the package has no types of its own. */
declare module 'gifenc' {
  type Palette = readonly (readonly [number, number, number])[];

  interface Encoder {
    /** @param options.delay milliseconds until the next frame. */
    writeFrame(
      pixels: Uint8Array,
      width: number,
      height: number,
      options: { readonly palette: Palette; readonly delay: number },
    ): void;
    finish(): void;
    bytes(): Uint8Array;
  }

  const gifenc: {
    GIFEncoder(): Encoder;
    /** @param rgba four bytes for each pixel. */
    quantize(rgba: Uint8Array, colours: number): Palette;
    /** @returns the place in the palette for each pixel. */
    applyPalette(rgba: Uint8Array, palette: Palette): Uint8Array;
  };
  export default gifenc;
}
