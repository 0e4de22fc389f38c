import { area } from '../../area.ts';
import { gadget, groupPath } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const labelSelectors = [
  'color=red',
  'color==red',
  'color!=red',
  'color in (red,blue)',
  'color notin (red,blue)',
  'odd',
  '!odd',
  'odd=',
  'odd!=',
  'num>5',
  'num<5',
  'num>abc',
  'num>',
  'i in (,1)',
  'i in ()',
  'i in (',
  'i in 1',
  ',',
  'a,,b',
  'color=red,odd',
  ' color = red , odd ',
  'color =',
  'color in (red',
  'a b',
  '=',
  '==',
  '!=',
  '!',
  '!!a',
  'a=b=c',
  'a!b',
  'Bad Key=x',
  'a/b/c=x',
  '-a=x',
  'a=-x',
  'a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk',
  'UP.com/a=x',
  'a>1,a<5',
  'a>1.5',
  'a in (x),b notin (y),c',
  'notin',
  'in',
  'in in (in)',
  'exists',
  '(',
  ')',
  'a)',
  'a=(b)',
  'a in (b c)',
  'a in (b,,c)',
  'a notin',
  'a=é',
  '"a"',
  "a='x'",
  'a\n=b',
  '\t',
  ' ',
  'a==',
  'a<=5',
  'a>=5',
  'a=>5',
  'color=red,color=blue',
];

const fieldSelectors = [
  'metadata.name=l1',
  'metadata.name==l1',
  'metadata.name!=l1',
  'metadata.name=',
  'metadata.name',
  'x',
  'spec.color=red',
  'spec.size=4',
  'spec.size=',
  'spec.flag=true',
  'spec.flag=false',
  'spec.mode=plain',
  'status.phase=x',
  'metadata.namespace=ns2',
  'metadata.namespace=ns3',
  'metadata.name=a,metadata.name=b',
  'metadata.name=l1,spec.color=blue',
  'metadata.name=l1,',
  ',',
  '=',
  '=x',
  'metadata.name=a\\,b',
  'metadata.name=a\\x',
  'metadata.name=a\\',
  'metadata.name in (a)',
  'metadata.uid=x',
  'spec.color!=red,spec.flag=true',
  'metadata.name=l1,metadata.name=l1',
  'a!b',
  'metadata.name>l1',
  'spec.color=red=blue',
  'metadata.labels=x',
  'metadata.name!=',
  ' metadata.name=l1',
  'metadata.name= l1',
];

/** Compares the selectors of lists, watches and deletions of collections. */
export function selectors(pair: Pair): void {
  area(pair, 'Selectors', (compared, gadgets) => {
    const listed = (option: string, selector: string) => gadgets.get(`?${option}=${encodeURIComponent(selector)}`);

    compared('label selectors (SEL-01 to SEL-06)', async () => {
      const colors = ['red', 'blue', 'green'];
      for (let i = 0; i < 9; i++) {
        const color = colors[i % 3];
        const num = i === 4 ? { num: '10' } : i === 5 ? { num: 'abc' } : {};
        const labels = { i: String(i), color, ...(i % 2 === 1 ? { odd: '' } : {}), ...num };
        const spec = { color, ...(i % 3 === 0 ? {} : { size: i }), flag: i % 2 === 0 };
        await gadgets.post(gadget(`l${i}`, { metadata: { labels }, spec }));
      }
      for (const selector of labelSelectors) await listed('labelSelector', selector);
    });

    compared('field selectors (SEL-07 to SEL-09, SEL-11, SEL-14)', async () => {
      for (const selector of fieldSelectors) await listed('fieldSelector', selector);
    });

    compared('selectors over all namespaces, both at once, and on one object (SEL-12, SEL-13)', async () => {
      const all = `${groupPath}/gadgets?fieldSelector=`;
      for (const selector of ['metadata.namespace=selectors', 'metadata.namespace=nope', 'metadata.name=l7']) {
        await gadgets.send({ path: `${all}${encodeURIComponent(selector)}&labelSelector=i` });
      }
      await gadgets.get('?fieldSelector=spec.color%3Dred&labelSelector=odd');
      await gadgets.get('/l1?fieldSelector=metadata.name%3Dl2');
      await gadgets.get('/l1?labelSelector=((');
    });
  });
}
