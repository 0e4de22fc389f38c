import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OciLayout } from '../../scripts/package/oci-layout.mjs';
import { writeTar } from '../../scripts/package/tar.mjs';

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string };
}

describe('an image in the OCI layout', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'flotilla-oci-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Writes the same files of an image each time, with new modification times. */
  function stage(name: string): string {
    const files = join(folder, name);
    mkdirSync(join(files, 'opt'), { recursive: true });
    for (const [path, text] of [
      ['opt/b', 'two'],
      ['a', 'one'],
    ] as const) {
      writeFileSync(join(files, path), text);
      utimesSync(join(files, path), Math.random() * 1e9, Math.random() * 1e9);
    }
    chmodSync(join(files, 'a'), 0o755);
    return files;
  }

  async function build(name: string): Promise<{ digest: string; layout: string }> {
    const layout = join(folder, `${name}-layout`);
    const work = join(folder, `${name}-work`);
    for (const path of [layout, work]) mkdirSync(path);
    const image = new OciLayout(layout);
    for (const architecture of ['amd64', 'arm64']) {
      const files = stage(`${name}-${architecture}`);
      await image.addImage({ architecture, files, config: { User: '1:1' }, labels: {}, work });
    }
    return { digest: await image.finish('example.com/flotilla:1.2.3'), layout };
  }

  it('has the same digest and the same archive for the same files, whatever their times', async () => {
    const [one, other] = [await build('one'), await build('other')];
    expect(other.digest).toBe(one.digest);
    await writeTar(one.layout, join(folder, 'one.tar'));
    await writeTar(other.layout, join(folder, 'other.tar'));
    expect(readFileSync(join(folder, 'other.tar')).equals(readFileSync(join(folder, 'one.tar')))).toBe(true);
  });

  it('has one manifest per architecture, and blobs under their digests', async () => {
    const { digest, layout } = await build('one');
    const blob = (of: string) => readFileSync(join(layout, 'blobs', of.replace(':', '/')));
    const read = (of: string) => JSON.parse(blob(of).toString());
    const manifests: readonly Descriptor[] = read(digest).manifests;
    expect(manifests.map(({ platform }) => platform?.architecture)).toEqual(['amd64', 'arm64']);
    for (const name of readdirSync(join(layout, 'blobs/sha256'))) {
      expect(
        createHash('sha256')
          .update(blob(`sha256:${name}`))
          .digest('hex'),
      ).toBe(name);
    }
    const { config, layers } = read(manifests[0]?.digest ?? '');
    expect(read(config.digest)).toMatchObject({ architecture: 'amd64', os: 'linux', config: { User: '1:1' } });
    expect(blob(layers[0].digest)).toHaveLength(layers[0].size);
  });

  it('contains a layer as it is if it is not compressed', async () => {
    const image = new OciLayout(folder);
    await image.addImage({
      architecture: 'amd64',
      files: stage('files'),
      config: {},
      labels: {},
      work: folder,
      compress: false,
    });
    const read = (digest: string) => readFileSync(join(folder, 'blobs', digest.replace(':', '/')));
    const index = JSON.parse(read(await image.finish('example.com/flotilla:1.2.3')).toString());
    const { layers, config } = JSON.parse(read(index.manifests[0].digest).toString());
    expect(layers[0].mediaType).toBe('application/vnd.oci.image.layer.v1.tar');
    expect(JSON.parse(read(config.digest).toString()).rootfs.diff_ids).toEqual([layers[0].digest]);
    expect(read(layers[0].digest)).toEqual(readFileSync(join(folder, 'amd64.tar')));
  });
});
