/**
 * What Go's decoder says of a text that is not base64; undefined: it is. Line breaks count as nothing, and padding is
 * asked for.
 */
export function base64Fault(text: string): string | undefined {
  // Nearly all of it is right: to find where it is wrong takes longer.
  if (text.length % 4 === 0 && wellFormed.test(text)) return undefined;
  const at = firstFault(text);
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}

const wellFormed = /^[A-Za-z0-9+/]*={0,2}$/;
const digit = /[A-Za-z0-9+/]/;

function firstFault(text: string): number | undefined {
  let at = 0;
  let digits = 0;
  const skipBreaks = () => {
    while (text[at] === '\n' || text[at] === '\r') at++;
  };
  for (skipBreaks(); at < text.length; at++, skipBreaks()) {
    const character = text[at] ?? '';
    if (digit.test(character)) {
      digits++;
      continue;
    }
    if (character !== '=' || digits % 4 < 2) return at;
    return paddingFault(text, at, digits % 4);
  }
  const open = digits % 4;
  return open === 0 ? undefined : at - open;
}

/** Behind two digits two signs of padding, behind three one, and nothing more. */
function paddingFault(text: string, from: number, digits: number): number | undefined {
  const breaks = (at: number) => {
    while (text[at] === '\n' || text[at] === '\r') at++;
    return at;
  };
  let at = from + 1;
  if (digits === 2) {
    at = breaks(at);
    if (at >= text.length) return text.length;
    if (text[at] !== '=') return at - 1;
    at++;
  }
  at = breaks(at);
  return at < text.length ? at : undefined;
}

/** As an encoder writes it, with line breaks and bits that say nothing left out. The text is base64. */
export function canonicalBase64(text: string): string {
  return text.length % 4 === 0 && !text.endsWith('=') && !/[\r\n]/.test(text) ? text : btoa(atob(text));
}

/** How many bytes a canonical text stands for. */
export function base64Length(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

export function encodeBase64(text: string): string {
  let binary = '';
  const bytes = new TextEncoder().encode(text);
  // In pieces: the arguments of one call are not without limit.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** The text in UTF-8; what is none becomes U+FFFD, as in Go. */
export function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
