import description from '../../package.json' with { type: 'json' };

/** The version in package.json. The build inserts it into the bundle. */
export const programVersion: string = description.version;
