/** A row of single figures. */

export function TileRow({
  label,
  tiles,
}: {
  label: string;
  tiles: readonly (readonly [label: string, value: string, note: string])[];
}) {
  return (
    <section class="tiles" aria-label={label}>
      {tiles.map(([name, value, note]) => (
        <div class="tile" key={name}>
          <span>{name}</span>
          <strong>{value}</strong>
          <small>{note}</small>
        </div>
      ))}
    </section>
  );
}
