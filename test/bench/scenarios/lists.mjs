const forms = [
  ['whole', 'whole'],
  ['gzip', 'whole, gzip'],
  ['pages', 'in pages of 500'],
  ['table', 'as Table'],
  ['label', 'by a label of 1 %'],
];

/** Measures lists of the objects of one namespace on a freshly restarted server. */
export async function lists(session) {
  await session.startPrepared('usual');
  await session.fill('objects', session.sizes.objects);
  await session.restart();
  await session.settle('objects');
  await listForms(session, 'list', session.sizes.objects, session.sizes.listRepeats);
}

/**
 * Measures each form of a list. The first form, the whole list, must run on a server that has not served a list before,
 * because its memory growth is measured.
 */
export async function listForms(session, prefix, objects, repeats) {
  for (const [form, title] of forms) {
    const operation = `list of ${objects.toLocaleString('en')} ${title}`;
    // A list with a label selector takes so little time that a few of them would end within one tick of the CPU time
    // clock.
    const times = form === 'label' ? 10 * repeats : repeats;
    const options = { form, namespace: 'objects', objects, repeats: times, seconds: 20 };
    session.note(`${prefix}-${form}`, operation, await session.measure(operation, 'list', options));
  }
}
