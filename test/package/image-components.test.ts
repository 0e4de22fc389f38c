import { describe, expect, it } from 'vitest';
import { componentOf } from '../../scripts/package/debian-libraries.mjs';
import { mirrorsAt, mirrorsOfMachine, sourcesList } from '../../scripts/package/debian-sources.mjs';
import { componentsOf } from '../../scripts/package/go-modules.mjs';

describe('the Debian packages of the image', () => {
  it('are those of one release, signed with the keys of Debian', () => {
    const lines = sourcesList(mirrorsAt('https://mirror.example.com/debian/')).trim().split('\n');
    const signed = 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]';
    expect(lines).toEqual([
      `${signed} https://mirror.example.com/debian bookworm main`,
      `${signed} https://mirror.example.com/debian-security bookworm-security main`,
    ]);
  });

  it('come from the mirror of a machine that runs Debian, not from repositories of others', () => {
    const targets = [
      'https://apt.example.org trixie main',
      'https://apt.example.com/linux/debian trixie stable',
      'https://mirror.example.com/debian/ trixie-updates main',
      'https://mirror.example.com/debian/ trixie main',
      'https://security.example.com/debian-security/ trixie-security main',
      '',
    ].join('\n');
    expect(mirrorsOfMachine('trixie', targets)).toEqual({
      packages: 'https://mirror.example.com/debian',
      updates: 'https://security.example.com/debian-security',
    });
  });

  it('come from deb.debian.org if the machine has no mirror', () => {
    expect(mirrorsOfMachine('trixie', 'https://apt.example.org trixie main\n')).toEqual(
      mirrorsAt('http://deb.debian.org/debian'),
    );
  });

  it('have package URLs with the architecture of the package and the release', () => {
    expect(componentOf('libstdc++6_12.2.0-14+deb12u1_arm64.deb')).toEqual({
      type: 'library',
      name: 'libstdc++6',
      version: '12.2.0-14+deb12u1',
      purl: 'pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=arm64&distro=bookworm',
    });
    expect(componentOf('ca-certificates_1%3a20250419_all.deb')).toMatchObject({
      version: '1:20250419',
      purl: 'pkg:deb/debian/ca-certificates@1%3A20250419?arch=all&distro=bookworm',
    });
  });
});

it('the components of a Go program are its modules, replaced ones by their replacements, and the library of Go', () => {
  const output = [
    '/tools/helm: go1.26.8',
    '\tpath\thelm.sh/helm/v3/cmd/helm',
    '\tmod\thelm.sh/helm/v3\tv3.21.4\th1:one=',
    '\tdep\tk8s.io/api\tv0.35.0\th1:two=',
    '\tdep\texample.com/old\tv1.0.0',
    '\t=>\texample.com/new\tv2.0.0+incompatible\th1:three=',
    '\tbuild\tCGO_ENABLED=0',
    '',
  ].join('\n');
  expect(componentsOf('helm', output).map(({ type, name, purl }) => `${type} ${name} ${purl}`)).toEqual([
    'library stdlib pkg:golang/stdlib@1.26.8',
    'application helm pkg:golang/helm.sh/helm/v3@v3.21.4',
    'library k8s.io/api pkg:golang/k8s.io/api@v0.35.0',
    'library example.com/new pkg:golang/example.com/new@v2.0.0%2Bincompatible',
  ]);
});
