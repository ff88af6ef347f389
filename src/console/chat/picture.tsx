/** An image of a message or an answer. The page's policy lets it load only what the page itself has made. */

import { useEffect, useState } from 'preact/hooks';
import { bytesFromBase64 } from '../formats/base64.ts';

export function Picture({ type, data, label }: { type: string; data: string; label: string }) {
  const [url, setUrl] = useState<string | undefined>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytesFromBase64(data)], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [type, data]);
  return url === undefined ? null : <img class="picture" src={url} alt={label} />;
}
