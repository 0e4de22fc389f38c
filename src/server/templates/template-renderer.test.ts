import { hash } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { writeJson } from '@flotilla/json';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type DefinitionSource, renderDefinition } from '../../api/management/render-definition.ts';
import { WorkMarks } from '../../builtin/work-marks.ts';
import { ApplyError } from '../../hosts/apply-objects.ts';
import { readObjects } from '../../hosts/read-objects.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { StartThread } from '../../process/threads/thread.ts';
import { ThreadActivity } from '../../process/threads/thread-activity.ts';
import { useCpuTime } from '../../process/threads/use-cpu-time.fixture.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import type { RenderThreadData } from './render-thread.ts';
import { renderOnSameThread } from './same-thread.fixture.ts';
import { TemplateRenderer } from './template-renderer.ts';

const renderers: TemplateRenderer[] = [];
const clock = new ManualClock();
const notExpected: StartThread<RenderThreadData> = () => {
  throw new Error('not expected in this test');
};
afterEach(async () => {
  for (const renderer of renderers.splice(0)) await renderer.close();
});

const openMarks = (store: Store) => WorkMarks.open({ store, subject: 'templates', clock, log: silentLog });

async function open(
  startThread: StartThread<RenderThreadData>,
  store = openTestStore({ clock }),
): Promise<TemplateRenderer> {
  const marks = await openMarks(store);
  const renderer = new TemplateRenderer({ startThread, stallSeconds: 5, marks, clock, log: silentLog });
  renderers.push(renderer);
  return renderer;
}

const sourceOf = (values: string, project = 'p'): DefinitionSource => ({
  definition: { helmRelease: { values } },
  parameters: [],
  parameterValues: '',
  platform: { name: 'one', project, cluster: 'local', namespace: 'n', user: 'jane', team: '' },
});

/** A thread that ends when it gets its first template, like a thread that is out of memory. */
const failing: StartThread<RenderThreadData> = (_data, [port], onExit) => {
  port?.once('message', () => {
    port.close();
    onExit(new Error('out of memory'));
  });
  return { terminate: async () => port?.close() };
};

describe('TemplateRenderer', () => {
  it('renders on its thread with the result of renderDefinition, also several at a time', async () => {
    const renderer = await open(renderOnSameThread);
    const sources = ['{{ .Values.platform.name }}', '{{ if }}', 'name: {{ .Values.platform.user | quote }}'].map(
      (values) => sourceOf(values),
    );
    const rendered = await Promise.all(sources.map((source) => renderer.render(source)));
    expect(rendered).toEqual(sources.map((source) => renderDefinition(source)));
    expect(rendered[0]?.definition).toEqual({ helmRelease: { values: 'one' } });
    expect(rendered[1]?.problems).toHaveLength(1);
  });

  it('starts no thread for a definition without expressions', async () => {
    const renderer = await open(notExpected);
    expect(await renderer.render(sourceOf('a: b'))).toEqual({
      definition: { helmRelease: { values: 'a: b' } },
      problems: [],
    });
  });

  it('reports a template that ends the thread, does not render it again, and renders others on a new thread', async () => {
    let starts = 0;
    const renderer = await open((data, ports, onExit) => {
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

  it('does not render a template again that has ended the thread, also after a restart, until it changes', async () => {
    const store = openTestStore({ clock });
    const hostile = sourceOf('{{ "endless" }}');
    const { problems } = await (await open(failing, store)).render(hostile);
    await renderers.pop()?.close();
    expect((await (await open(notExpected, store)).render(hostile)).problems).toEqual(problems);
    const restarted = await open(renderOnSameThread, store);
    expect((await restarted.render(sourceOf('{{ "other" }}'))).problems).toEqual([]);
  });

  it('does not render a template that was being rendered twice when the server ended', async () => {
    const store = openTestStore({ clock });
    const source = sourceOf('{{ 1 }}');
    const content = writeJson({ definition: source.definition, parameters: [], parameterValues: '' });
    /** Ends the server while the template is being rendered. */
    async function interrupt(): Promise<void> {
      const marks = await openMarks(store);
      marks.begin(hash('sha256', content, 'hex'));
      await marks.close();
    }
    await interrupt();
    expect((await (await open(renderOnSameThread, store)).render(source)).problems).toEqual([]);
    await renderers.pop()?.close();
    await interrupt();
    await interrupt();
    const { problems } = await (await open(notExpected, store)).render(source);
    expect(problems).toEqual(['rendering was in progress 2 times when the server ended']);
  });

  it('marks a template that takes long while it is being rendered, and not one that the shutdown interrupts', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const store = openTestStore({ clock });
    let onReceived = () => {};
    const received = new Promise<void>((resolve) => {
      onReceived = resolve;
    });
    const renderer = await open(({ activity, port }, _ports, onExit) => {
      new ThreadActivity(activity).startHeartbeat()();
      port.once('message', onReceived);
      return {
        async terminate() {
          port.close();
          onExit(undefined);
        },
      };
    }, store);
    const rendering = renderer.render(sourceOf('{{ 1 }}')).catch(String);
    await received;
    vi.advanceTimersByTime(500);
    useCpuTime(0.6);
    vi.advanceTimersByTime(250);
    await vi.waitFor(async () => expect((await openMarks(store)).interrupted).toHaveLength(1));
    await renderer.close();
    expect(await rendering).toContain('Error');
    expect((await openMarks(store)).interrupted).toEqual([]);
  });

  it('renders a template of another project before the waiting ones of a project whose templates take long', async () => {
    const rendered: string[] = [];
    let finishFirst = () => {};
    const isFirstFinished = new Promise<void>((resolve) => {
      finishFirst = resolve;
    });
    const renderer = await open((data, ports, onExit) => {
      const { port1, port2 } = new MessageChannel();
      data.port.on('message', async (message) => {
        const project = /"project":"(\w+)"/.exec(JSON.stringify(message))?.[1] ?? '';
        rendered.push(project);
        await isFirstFinished;
        if (project === 'slow') clock.advance(5_000);
        port2.postMessage(message);
      });
      port2.on('message', (message) => data.port.postMessage(message));
      return renderOnSameThread({ ...data, port: port1 }, [...ports, port1], onExit);
    });
    const renderAll = (project: string, count: number) =>
      Array.from({ length: count }, (_, at) => renderer.render(sourceOf(`{{ ${at} }}`, project)));
    const slow = renderAll('slow', 10);
    await vi.waitFor(() => expect(rendered).toEqual(['slow']));
    const quick = renderAll('quick', 4);
    finishFirst();
    await Promise.all([...slow, ...quick]);
    expect(rendered).toEqual(['slow', ...Array(4).fill('quick'), ...Array(9).fill('slow')]);
  });

  it('reads long objects on its thread, with the result of readObjects', async () => {
    let starts = 0;
    const renderer = await open((data, ports, onExit) => {
      starts += 1;
      return renderOnSameThread(data, ports, onExit);
    });
    const document = (name: string) => `kind: ConfigMap\nmetadata: {name: ${name}}\n`;
    expect(await renderer.readObjects(document('short'), 'p')).toEqual(readObjects(document('short')));
    expect(starts).toBe(0);
    const long = Array.from({ length: 500 }, (_, at) => document(`map-${at}`)).join('---\n');
    expect(await renderer.readObjects(long, 'p')).toEqual(readObjects(long));
    expect(starts).toBe(1);
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(renderer.readObjects(`${long}---\n[`, 'p')).rejects.toThrow(ApplyError);
  });

  it('reports objects that end the thread as an ApplyError', async () => {
    const renderer = await open(failing);
    await expect(renderer.readObjects(`a: ${'x'.repeat(10_000)}`, 'p')).rejects.toThrow(
      new ApplyError('reading the objects takes longer than 5 seconds or needs too much memory'),
    );
  });
});
