import { afterEach, describe, expect, it } from 'vitest';
import { type DefinitionSource, renderDefinition } from '../../api/management/render-definition.ts';
import { ApplyError } from '../../hosts/apply-objects.ts';
import { readObjects } from '../../hosts/read-objects.ts';
import { silentLog } from '../../lib/log.ts';
import type { StartThread } from '../../process/threads/thread.ts';
import type { RenderThreadData } from './render-thread.ts';
import { renderOnSameThread } from './same-thread.fixture.ts';
import { TemplateRenderer } from './template-renderer.ts';

const renderers: TemplateRenderer[] = [];
afterEach(async () => {
  for (const renderer of renderers.splice(0)) await renderer.close();
});

function open(startThread: StartThread<RenderThreadData>): TemplateRenderer {
  const renderer = new TemplateRenderer({ startThread, stallSeconds: 5, log: silentLog });
  renderers.push(renderer);
  return renderer;
}

const sourceOf = (values: string): DefinitionSource => ({
  definition: { helmRelease: { values } },
  parameters: [],
  parameterValues: '',
  platform: { name: 'one', project: 'p', cluster: 'local', namespace: 'n', user: 'jane', team: '' },
});

/** A thread that ends when it gets its first template, as one that is out of memory does. */
const failing: StartThread<RenderThreadData> = (_data, [port], onExit) => {
  port?.once('message', () => {
    port.close();
    onExit(new Error('out of memory'));
  });
  return { terminate: async () => port?.close() };
};

describe('TemplateRenderer', () => {
  it('renders on its thread with the result of renderDefinition, also several at a time', async () => {
    const renderer = open(renderOnSameThread);
    const sources = ['{{ .Values.platform.name }}', '{{ if }}', 'name: {{ .Values.platform.user | quote }}'].map(
      sourceOf,
    );
    const rendered = await Promise.all(sources.map((source) => renderer.render(source)));
    expect(rendered).toEqual(sources.map((source) => renderDefinition(source)));
    expect(rendered[0]?.definition).toEqual({ helmRelease: { values: 'one' } });
    expect(rendered[1]?.problems).toHaveLength(1);
  });

  it('starts no thread for a definition without expressions', async () => {
    const renderer = open(() => {
      throw new Error('not expected in this test');
    });
    expect(await renderer.render(sourceOf('a: b'))).toEqual({
      definition: { helmRelease: { values: 'a: b' } },
      problems: [],
    });
  });

  it('reports a template that ends the thread, does not render it again, and renders others on a new thread', async () => {
    let starts = 0;
    const renderer = open((data, ports, onExit) => {
      starts += 1;
      return (starts === 1 ? failing : renderOnSameThread)(data, ports, onExit);
    });
    const hostile = sourceOf('{{ "endless" }}');
    const [first, other] = await Promise.all([renderer.render(hostile), renderer.render(sourceOf('{{ 1 }}'))]);
    expect(first.problems).toEqual(['rendering takes longer than 5 seconds or needs too much memory']);
    expect(other).toEqual({ definition: { helmRelease: { values: '1' } }, problems: [] });
    expect((await renderer.render(hostile)).problems).toEqual(first.problems);
    expect(starts).toBe(2);
  });

  it('reads long objects on its thread, with the result of readObjects', async () => {
    let starts = 0;
    const renderer = open((data, ports, onExit) => {
      starts += 1;
      return renderOnSameThread(data, ports, onExit);
    });
    const document = (name: string) => `kind: ConfigMap\nmetadata: {name: ${name}}\n`;
    expect(await renderer.readObjects(document('short'))).toEqual(readObjects(document('short')));
    expect(starts).toBe(0);
    const long = Array.from({ length: 500 }, (_, at) => document(`map-${at}`)).join('---\n');
    expect(await renderer.readObjects(long)).toEqual(readObjects(long));
    expect(starts).toBe(1);
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(renderer.readObjects(`${long}---\n[`)).rejects.toThrow(ApplyError);
  });

  it('reports objects that end the thread as an ApplyError', async () => {
    const renderer = open(failing);
    await expect(renderer.readObjects(`a: ${'x'.repeat(10_000)}`)).rejects.toThrow(
      new ApplyError('reading the objects takes longer than 5 seconds or needs too much memory'),
    );
  });
});
