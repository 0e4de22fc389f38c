import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliCommands, systemOf } from './cli-platform.ts';

describe('the commands that install the command line', () => {
  it('are those of the visitor’s system', () => {
    expect(systemOf('Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36')).toBe('windows');
    expect(systemOf('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15')).toBe('darwin');
    expect(systemOf('Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0')).toBe('linux');
  });

  it('are those of the installation guide, and log in to this server', () => {
    const guide = readFileSync(new URL('../../../docs/guides/install.md', import.meta.url), 'utf8');
    const { install, login } = cliCommands('linux', 'https://flotilla.example.com');
    expect(guide).toContain(install);
    expect(cliCommands('darwin', '').install).toContain('shasum -a 256 --check --ignore-missing SHA256SUMS');
    expect(login).toBe('flotilla login https://flotilla.example.com');
  });
});
