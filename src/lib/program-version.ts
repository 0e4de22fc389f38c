import description from '../../package.json' with { type: 'json' };

/** The version from package.json; the build includes it in the bundle. */
export const programVersion: string = description.version;
