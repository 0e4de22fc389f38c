/**
 * Returns the error message of Go's decoder for text that is not valid base64. `undefined` if the text is valid. Line
 * breaks are ignored, and padding is required.
 */
export function base64Fault(text: string): string | undefined {
  // Check the whole text first, because nearly all texts are valid and finding the position of an error takes longer.
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

/**
 * Returns the position of an error in the padding. Two digits need two `=`, three digits need one. No text may follow.
 */
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

/**
 * Returns the text as an encoder writes it: without line breaks, and with unused bits set to 0. The text must be valid
 * base64.
 */
export function canonicalBase64(text: string): string {
  return text.length % 4 === 0 && !text.endsWith('=') && !/[\r\n]/.test(text) ? text : btoa(atob(text));
}

/** Returns the number of bytes that a canonical base64 text encodes. */
export function base64ByteLength(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

export function encodeBase64(text: string): string {
  let binary = '';
  const bytes = new TextEncoder().encode(text);
  // Convert in chunks, because JavaScript limits the number of arguments of one call.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(binary);
}

/** Decodes base64 and then UTF-8. Invalid UTF-8 becomes U+FFFD, as in Go. */
export function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
