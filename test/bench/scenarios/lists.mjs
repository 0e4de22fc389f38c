const forms = [
  ['whole', 'whole'],
  ['gzip', 'whole, gzip'],
  ['pages', 'in pages of 500'],
  ['table', 'as Table'],
  ['label', 'by a label of 1 %'],
];

/** Lists of the objects of one namespace, on a server that has just been started again. */
export async function lists(session) {
  await session.startPrepared('usual');
  await session.fill('objects', session.sizes.objects);
  await session.restart();
  await session.settle('objects');
  await listForms(session, 'list', session.sizes.objects, session.sizes.listRepeats);
}

/** The growth of the first form, the whole list, is that of a server which has not listed before. */
export async function listForms(session, prefix, objects, repeats) {
  for (const [form, title] of forms) {
    const operation = `list of ${objects.toLocaleString('en')} ${title}`;
    // So short that a few of them would be over before the clock of processor time has ticked.
    const times = form === 'label' ? 10 * repeats : repeats;
    const options = { form, namespace: 'objects', objects, repeats: times, seconds: 20 };
    session.note(`${prefix}-${form}`, operation, await session.measure(operation, 'list', options));
  }
}
