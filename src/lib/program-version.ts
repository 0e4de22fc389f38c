import description from '../../package.json' with { type: 'json' };

/** Of package.json; the build puts it into the bundle. */
export const programVersion: string = description.version;
