import { fileURLToPath } from 'node:url';

/** The directory of the built console: next to the built program, or in dist when the sources run directly. */
export function consoleDirectory(program: string = import.meta.url): string {
  return fileURLToPath(new URL(program.endsWith('.ts') ? '../../../dist/web/' : './web/', program));
}
