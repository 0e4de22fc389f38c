import { customObjects } from '../side-by-side/areas/custom-resources/custom-objects.ts';
import { customRules } from '../side-by-side/areas/custom-resources/custom-rules.ts';
import { definitionAnswers } from '../side-by-side/areas/custom-resources/definitions.ts';
import { publishedSchemas } from '../side-by-side/areas/requests/published-schemas.ts';
import { compareWithKubeApiserver } from '../side-by-side/compare-with-kube-apiserver.ts';
import { customDifferences } from '../side-by-side/differences/custom.ts';

const title = 'custom resources beside those of kube-apiserver';

compareWithKubeApiserver(title, { own: customDifferences, atLeast: 300 }, (pair) => {
  definitionAnswers(pair);
  customObjects(pair);
  customRules(pair);
  publishedSchemas(pair);
});
