/** An image of a message or an answer. The page's policy lets it load only what the page itself has made. */

import { useEffect, useState } from 'preact/hooks';

export function Picture({ type, data, label }: { type: string; data: string; label: string }) {
  const [url, setUrl] = useState<string | undefined>();
  useEffect(() => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.codePointAt(0) ?? 0);
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [type, data]);
  return url === undefined ? null : <img class="picture" src={url} alt={label} />;
}
