import { describe, expect, it } from 'vitest';
import { readyText } from './ready-text.ts';

describe('readyText', () => {
  it('starts with ready and the base URL, then two commands that can be typed', () => {
    expect(readyText('https://127.0.0.1:8443', '/home/a/.flotilla/admin.kubeconfig', '/home/a').split('\n')).toEqual([
      'ready https://127.0.0.1:8443',
      '  kubectl --kubeconfig .flotilla/admin.kubeconfig get projects,clusters,virtualclustertemplates',
      '  kubectl --kubeconfig .flotilla/admin.kubeconfig explain virtualclusterinstances.spec',
      '',
    ]);
  });

  it('names a directory elsewhere in full, quoted where a shell would part it', () => {
    expect(readyText('https://x', "/var/my data/it's", '/home/a')).toContain(
      `--kubeconfig '/var/my data/it'\\''s' get`,
    );
  });
});
