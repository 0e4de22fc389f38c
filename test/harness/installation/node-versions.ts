import runtimes from '../../../scripts/package/runtime.json' with { type: 'json' };

/** A package of the npm registry that contains Node for one platform. */
interface NodePackage {
  readonly package: string;
  readonly version: string;
  readonly integrity: string;
}

const platform = process.arch === 'x64' ? 'linux-x64' : 'linux-arm64';

const older: Readonly<Record<typeof platform, readonly (readonly [version: string, integrity: string])[]>> = {
  'linux-x64': [
    ['20.19.0', 'sha512-HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA=='],
    ['22.23.3', 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng=='],
  ],
  'linux-arm64': [
    ['20.19.0', 'sha512-kT7jX7frbsrMrXMsBaFt3Th1SWs5VjxTzd0U8vxcmdCFkaqeu5hFK0+QoYfIo5drmr3DmwJfLtO2gnD/7hNE/Q=='],
    ['22.23.3', 'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA=='],
  ],
};

/**
 * The tested versions of Node.js: the oldest one that package.json allows, the newest of the next LTS line, and the one
 * in the archives and the image.
 */
export const nodeVersions: readonly NodePackage[] = [
  ...older[platform].map(([version, integrity]) => ({ package: `node-${platform}`, version, integrity })),
  runtimes[platform],
];
