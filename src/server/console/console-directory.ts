import { fileURLToPath } from 'node:url';

/** Returns the directory of the built console: beside the built program, or in `dist` if the sources are executed. */
export function consoleDirectory(program: string = import.meta.url): string {
  return fileURLToPath(new URL(program.endsWith('.ts') ? '../../../dist/web/' : './web/', program));
}
