import { fileURLToPath } from 'node:url';

/** Where the build leaves the console: beside the program that it makes, and there too where the sources themselves run. */
export function consoleDirectory(program: string = import.meta.url): string {
  return fileURLToPath(new URL(program.endsWith('.ts') ? '../../../dist/web/' : './web/', program));
}
