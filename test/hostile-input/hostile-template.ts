import type { SeededRandom } from '../bad-days/seeded-random.ts';

const pieces = [
  '{{ $a := list "x" }}{{ range 30 }}{{ $a = list $a $a }}{{ end }}',
  '{{ $s := "aaaaaaaaaaaaaaaa" }}{{ range 18 }}{{ $s = printf "%s%s" $s $s }}{{ end }}',
  '{{ toYaml $a | len }}',
  '{{ toJson $a | len }}',
  '{{ $x := replace "a" "bb" $s }}',
  '{{ $x := splitList "a" $s }}',
  '{{ $x := printf "%q" $s }}',
  '{{ range 1000 }}{{ end }}',
  '{{ .Values.a.b }}',
  '{{ $m := dict "a" .Values "b" .Values }}',
  '{{ if eq "a" "b" }}x{{ else }}y{{ end }}',
  '{{ define "t" }}{{ template "t" }}{{ end }}',
  '{{ indent 500 $s }}',
  '{{- /* c */ -}}',
  'text\n',
  '{{ "',
  '{{ (((( 1 )))) }}',
];

/** Returns a Go template of about the given size, made of pieces that are expensive or syntactically unusual. */
export function hostileTemplate(random: SeededRandom, bytes: number): string {
  const [lists = '', texts = ''] = pieces;
  const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(pieces)).join('');
  return `${lists}${texts}${chosen.repeat(Math.ceil(bytes / chosen.length))}`;
}
