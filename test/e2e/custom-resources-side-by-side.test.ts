import { customObjects } from '../side-by-side/areas/custom-objects.ts';
import { customRules } from '../side-by-side/areas/custom-rules.ts';
import { definitionAnswers } from '../side-by-side/areas/definitions.ts';
import { publishedSchemas } from '../side-by-side/areas/published-schemas.ts';
import { compareWithKubeApiserver } from '../side-by-side/compare-with-kube-apiserver.ts';
import { customDifferences } from '../side-by-side/differences/custom.ts';

const title = 'custom resources beside those of kube-apiserver';

compareWithKubeApiserver(title, { own: customDifferences, atLeast: 300 }, (pair) => {
  definitionAnswers(pair);
  customObjects(pair);
  customRules(pair);
  publishedSchemas(pair);
});
