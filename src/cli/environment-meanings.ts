/** The variables of the environment that this command line goes by; docs/reference/cli.md shows them from here. */
export const environmentMeanings: Readonly<Record<string, string>> = {
  FLOTILLA_URL: 'address of the server; wins over the login',
  FLOTILLA_ACCESS_KEY: 'the access key; wins over that of the login',
  FLOTILLA_CA_FILE: 'certificate of the authority to trust, in PEM form; wins over that of the login',
  FLOTILLA_PROJECT: 'the project of commands that name none; wins over that of the login',
  FLOTILLA_CONTEXT: 'the login to use',
  FLOTILLA_CONFIG:
    'where logins are kept, mode 0600; else `$XDG_CONFIG_HOME/flotilla/config.json` (`~/.config`), on macOS `~/Library/Application Support`, on Windows `%APPDATA%`',
  KUBECONFIG: 'the first file of it is the kubeconfig that `connect` writes to; else `~/.kube/config`',
  'HTTPS_PROXY, ALL_PROXY, NO_PROXY': 'the proxy to the server, and for which hosts there is none; small letters too',
  NODE_EXTRA_CA_CERTS: 'authorities to trust besides those of Node, for servers without a CA of their own',
  'KUBE_EDITOR, VISUAL, EDITOR': 'the editor of `edit`; the first that is set',
  NO_COLOR: 'set to anything: no colours',
};
