import { describe, expect, it } from 'vitest';
import { hashPassword, verifyPassword } from './password-hash.ts';

describe('password hashes', () => {
  it('tell the right password from a wrong one and never hold it', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).not.toContain('correct');
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('correct horsf', hash)).toBe(false);
    expect(await verifyPassword('correct horse', 'plain text')).toBe(false);
  });

  it('are salted', async () => {
    expect(await hashPassword('same')).not.toBe(await hashPassword('same'));
  });

  it('know a password however its accents were typed', async () => {
    expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true);
  });
});
