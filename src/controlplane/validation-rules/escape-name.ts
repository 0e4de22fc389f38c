const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** True for a reserved word of CEL. After a dot it may be used without escaping. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

/** Returns the name by which expressions access a member; `undefined` if expressions cannot access the member. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[./-]/g, (part) => ESCAPES[part] as string);
}

/** Returns the name of the member with this escaped name; `undefined` if the escaping is invalid. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let fits = true;
  const name = escaped.replace(/__([^_]+)__/g, (whole, word: string) => {
    switch (word) {
      case 'underscores':
        return '__';
      case 'dot':
        return '.';
      case 'dash':
        return '-';
      case 'slash':
        return '/';
    }
    if (!RESERVED.has(word) || whole !== escaped) fits = false;
    return word;
  });
  return fits ? name : undefined;
}
