import { describe, expect, it } from 'vitest';
import { spaceTemplateType, virtualClusterTemplateType } from '../../data/template-types.ts';
import { createCommandText } from './create-command-text.ts';

describe('createCommandText', () => {
  it('names only the template if no parameter is required', () => {
    const parameters = [{ variable: 'size' }, { variable: 'tier', required: true, defaultValue: 'gold' }];
    expect(createCommandText(spaceTemplateType, 'small', parameters)).toBe(
      'flotilla space create demo --template small',
    );
  });

  it('sets required parameters to an allowed value or a placeholder, quoted for the shell', () => {
    const parameters = [
      { variable: 'env', required: true, options: ['dev', 'test'] },
      { variable: 'size.replicas', required: true },
      { variable: 'motd', required: true, options: ["it's $HOME"] },
    ];
    expect(createCommandText(virtualClusterTemplateType, 'small', parameters)).toBe(
      "flotilla create demo --template small --set env=dev --set 'size.replicas=<size.replicas>' --set 'motd=it'\\''s $HOME'",
    );
  });
});
