import { type JsonObject, textAt } from '@flotilla/json';
import type { Command } from '../command.ts';

export const versionCommand: Command = {
  name: 'version',
  usage: '',
  about: 'show the version of the API server',
  positional: 'none',
  flags: [],
  async run(_, { root, api, signal, print }) {
    const version = await api.json<JsonObject>({ url: `${root}/version`, signal });
    print(`Server Version: ${textAt(version, 'gitVersion')}`);
  },
};
