const extension = '.flotilla';

/**
 * The names of the backups of one installation. The names sort by time. Files with other names are never listed or
 * removed.
 */
export class BackupNames {
  readonly #prefix: string;

  /**
   * `identity` is the identity of the store. It is part of the names, so that installations that share a bucket do not
   * remove each other's backups.
   */
  constructor(identity: string) {
    this.#prefix = `flotilla-${identity
      .replaceAll(/[^0-9a-zA-Z]/g, '')
      .slice(0, 12)
      .toLowerCase()}-`;
  }

  get prefix(): string {
    return this.#prefix;
  }

  /** Returns the name of a backup that starts now, for example `flotilla-1c9f04ab77d2-20261118T030000Z.flotilla`. */
  at(time: number): string {
    const text = new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
    return `${this.#prefix}${text.replaceAll(/[-:]/g, '')}${extension}`;
  }

  /** Returns the time in a name, in RFC 3339; `undefined` if it is not the name of a backup of this installation. */
  timeOf(name: string): string | undefined {
    if (!name.startsWith(this.#prefix) || !name.endsWith(extension)) return undefined;
    const text = name.slice(this.#prefix.length, -extension.length);
    const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
    if (match === null) return undefined;
    const [, year, month, day, hour, minute, second] = match;
    return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  }
}
