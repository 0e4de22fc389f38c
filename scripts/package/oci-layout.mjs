import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fixedTime, writeTar } from './tar.mjs';

const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  compressedLayer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

/** Builds an image in the OCI image layout, with one manifest per architecture. */
export class OciLayout {
  #directory;
  #manifests = [];

  constructor(directory) {
    this.#directory = directory;
  }

  /**
   * Adds the image of an architecture, with one layer that contains the files of a directory. With `compress` false,
   * the layer is written much faster.
   */
  async addImage({ architecture, files, config, labels, work, compress = true }) {
    const tar = join(work, `${architecture}.tar`);
    await writeTar(files, tar);
    const layer = await readFile(tar);
    const blob = compress
      ? await this.#addBlob(mediaTypes.compressedLayer, gzipSync(layer, { level: 9 }))
      : await this.#addBlob(mediaTypes.layer, layer);
    const image = {
      created: fixedTime,
      architecture,
      os: 'linux',
      config: { ...config, Labels: labels },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
      history: [{ created: fixedTime, created_by: 'npm run image' }],
    };
    const manifest = {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: await this.#addBlob(mediaTypes.config, JSON.stringify(image)),
      layers: [blob],
    };
    const descriptor = await this.#addBlob(mediaTypes.manifest, JSON.stringify(manifest));
    this.#manifests.push({ ...descriptor, platform: { architecture, os: 'linux' } });
  }

  /** Completes the layout under a name with a tag. Returns the digest of the image. */
  async finish(name) {
    const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: this.#manifests };
    const descriptor = await this.#addBlob(mediaTypes.index, JSON.stringify(index));
    const annotations = {
      'io.containerd.image.name': name,
      'org.opencontainers.image.ref.name': name.replace(/.*:/, ''),
    };
    const entry = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [{ ...descriptor, annotations }] };
    await writeFile(join(this.#directory, 'index.json'), JSON.stringify(entry));
    await writeFile(join(this.#directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    return descriptor.digest;
  }

  async #addBlob(mediaType, contents) {
    const digest = digestOf(contents);
    const folder = join(this.#directory, 'blobs', 'sha256');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, digest.replace('sha256:', '')), contents);
    return { mediaType, digest, size: Buffer.byteLength(contents) };
  }
}

function digestOf(contents) {
  return `sha256:${createHash('sha256').update(contents).digest('hex')}`;
}
