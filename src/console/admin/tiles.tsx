/** A row of single figures. */

export interface Tile {
  readonly label: string;
  readonly value: string;
  readonly note: string;
}

export function TileRow({ label, tiles }: { label: string; tiles: readonly Tile[] }) {
  return (
    <section class="tiles" aria-label={label}>
      {tiles.map((tile) => (
        <div class="tile" key={tile.label}>
          <span>{tile.label}</span>
          <strong>{tile.value}</strong>
          <small>{tile.note}</small>
        </div>
      ))}
    </section>
  );
}
