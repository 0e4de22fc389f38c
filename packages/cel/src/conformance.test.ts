import { describe, expect, it } from 'vitest';
import { runCel } from './cel.fixture.ts';

const variables = {
  o: {
    a: 1,
    b: { c: 'x' },
    list: [1, 2, 3],
    names: ['b', 'a'],
    nothing: null,
    half: 0.5,
    flag: true,
    'x-y': 2,
    mixed: [1, 'a', { k: 1.5 }, null, true],
  },
};

type Case = readonly [text: string, value: unknown];

function table(name: string, cases: readonly Case[]): void {
  describe(name, () => {
    it.each(cases)('%s', async (text, value) => {
      expect(await runCel(text, variables)).toMatchObject({ value });
    });
  });
}

function failures(name: string, cases: readonly (readonly [text: string, error: string])[]): void {
  describe(name, () => {
    it.each(cases)('%s', async (text, error) => {
      expect(await runCel(text, variables)).toMatchObject({ error });
    });
  });
}

function faults(name: string, cases: readonly (readonly [text: string, fault: string])[]): void {
  describe(name, () => {
    it.each(cases)('%s', async (text, fault) => {
      const outcome = await runCel(text, variables);
      expect(outcome.fault ?? `no fault: ${JSON.stringify(outcome)}`).toContain(fault);
    });
  });
}

table('literals', [
  ['1', 1n],
  ['-9223372036854775808', -9223372036854775808n],
  ['0x1F', 31n],
  ['1u', '1u'],
  ['1.5', 1.5],
  ['1e3', 1000],
  ['"a\\n\\u00e9\\x41"', 'a\néA'],
  ["r'\\d'", '\\d'],
  ['"""a\nb"""', 'a\nb'],
  ['b"abc"', 'bytes 616263'],
  ['b"é"', 'bytes c3a9'],
  ['null', null],
  ['[1, 2]', [1n, 2n]],
  ['{"a": 1}', { a: 1n }],
  ['{1: "a"}[1]', 'a'],
  ['[]', []],
  ['true // said', true],
]);

table('operators', [
  ['1 + 2 * 3', 7n],
  ['(1 + 2) * 3', 9n],
  ['7 / 2', 3n],
  ['-7 / 2', -3n],
  ['-7 % 3', -1n],
  ['7.0 / 2.0', 3.5],
  ['1.0 / 0.0', Number.POSITIVE_INFINITY],
  ['2u - 1u', '1u'],
  ['"a" + "b"', 'ab'],
  ['b"a" + b"b"', 'bytes 6162'],
  ['[1] + [2]', [1n, 2n]],
  ['([1] + [2] + [3])[2]', 3n],
  ['!true', false],
  ['-(1)', -1n],
  ['1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3', true],
  ['1 < 2.5', true],
  ['1u < 2', true],
  ['"a" < "b"', true],
  ['"\\ud7ff" < "\\U00010000"', true],
  ['"\\uffff" < "\\U00010000"', true],
  ['b"a" < b"b"', true],
  ['false < true', true],
  ['dyn(1) == 1.0', true],
  ['dyn(1) == 1u', true],
  ['dyn(1) == "1"', false],
  ['[1, 2] == [1, 2]', true],
  ['{"a": 1, "b": 2} == {"b": 2, "a": 1}', true],
  ['1 in [1, 2]', true],
  ['"a" in {"a": 1}', true],
  ['3 in [1, 2]', false],
  ['true ? 1 : 2', 1n],
  ['false && 1/0 == 1', false],
  ['1/0 == 1 && false', false],
  ['1/0 == 1 || true', true],
  ['o.a == 1', true],
  ['o["x-y"]', 2n],
  ['has(o.a) && !has(o.z)', true],
  ['has(o.nothing)', true],
  ['o.nothing == null', true],
  ['o.half', 0.5],
]);

table('macros', [
  ['[1, 2, 3].all(x, x > 0)', true],
  ['[1, 2, 3].exists(x, x > 2)', true],
  ['[1, 2, 3].exists_one(x, x > 2)', true],
  ['[1, 2, 2].exists_one(x, x == 2)', false],
  ['[1, 2, 3].map(x, x * 2)', [2n, 4n, 6n]],
  ['[1, 2, 3].map(x, x > 1, x * 2)', [4n, 6n]],
  ['[1, 2, 3].filter(x, x > 1)', [2n, 3n]],
  ['{"a": 1, "b": 2}.all(k, k in ["a", "b"])', true],
  ['{"a": 1}.map(k, k)', ['a']],
  ['[[1], [2]].map(l, l.map(x, x + 1))', [[2n], [3n]]],
  ['[0, 1].exists(x, 1 / x == 1)', true],
  ['[1, 0].all(x, 1 / x == 7)', false],
  ['[].all(x, false)', true],
  ['[].exists(x, true)', false],
  ['[1, 2].all(i, v, i + 1 == v)', true],
  ['[1, 2].exists(i, v, i == 1 && v == 2)', true],
  ['[1, 2].existsOne(i, v, v == 2)', true],
  ['[5, 6].transformList(i, v, i * v)', [0n, 6n]],
  ['[5, 6].transformList(i, v, i > 0, v)', [6n]],
  ['{"a": 1}.transformMap(k, v, v + 1)', { a: 2n }],
  ['{"a": 1, "b": 2}.transformMap(k, v, v > 1, v)', { b: 2n }],
  ['[3, 4].transformMap(i, v, v)', { 0: 3n, 1: 4n }],
  ['{"a": "b"}.transformMapEntry(k, v, {v: k})', { b: 'a' }],
  ['o.list.map(x, x).map(x, x)[2]', 3n],
]);

table('conversions', [
  ['int("42")', 42n],
  ['int(1.9)', 1n],
  ['int(3u)', 3n],
  ['int(timestamp("1970-01-01T00:00:10Z"))', 10n],
  ['uint(3)', '3u'],
  ['double("1.5")', 1.5],
  ['double(2)', 2],
  ['string(1)', '1'],
  ['string(1.0)', '1'],
  ['string(true)', 'true'],
  ['string(b"abc")', 'abc'],
  ['string(duration("90m"))', '5400s'],
  ['string(timestamp("2020-02-29T12:00:00.5+01:00"))', '2020-02-29T12:00:00.5+01:00'],
  ['bytes("é")', 'bytes c3a9'],
  ['bool("true")', true],
  ['type(1)', 'type int'],
  ['type(1) == int', true],
  ['type(o) == map', true],
  ['type(type(1)) == type', true],
  ['type(timestamp("1970-01-01T00:00:00Z")) == google.protobuf.Timestamp', true],
  ['size("aé😀")', 3n],
  ['"aé😀".size()', 3n],
  ['size([1, 2])', 2n],
  ['{"a": 1}.size()', 1n],
  ['b"é".size()', 2n],
]);

table('times', [
  ['timestamp("2020-01-01T00:00:00Z") + duration("1h") == timestamp("2020-01-01T01:00:00Z")', true],
  ['timestamp("2020-01-02T00:00:00Z") - timestamp("2020-01-01T00:00:00Z") == duration("24h")', true],
  ['duration("1m") < duration("61s")', true],
  ['duration("1.5s").getMilliseconds()', 1500n],
  ['duration("-90m").getHours()', -1n],
  ['timestamp("2020-03-04T05:06:07.089Z").getFullYear()', 2020n],
  ['timestamp("2020-03-04T05:06:07.089Z").getMonth()', 2n],
  ['timestamp("2020-03-04T05:06:07.089Z").getDate()', 4n],
  ['timestamp("2020-03-04T05:06:07.089Z").getDayOfMonth()', 3n],
  ['timestamp("2020-03-04T05:06:07.089Z").getDayOfWeek()', 3n],
  ['timestamp("2020-03-04T05:06:07.089Z").getDayOfYear()', 63n],
  ['timestamp("2020-03-04T05:06:07.089Z").getHours("-08:00")', 21n],
  ['timestamp("2020-07-04T05:06:07.089Z").getHours("America/New_York")', 1n],
  ['timestamp("2020-03-04T05:06:07.089Z").getMilliseconds()', 89n],
]);

table('strings', [
  ['"hello".contains("ell")', true],
  ['"hello".startsWith("he") && "hello".endsWith("lo")', true],
  ['"h😀llo".charAt(1)', '😀'],
  ['"h😀llo".indexOf("l")', 2n],
  ['"hello".indexOf("l", 3)', 3n],
  ['"hello".indexOf("z")', -1n],
  ['"hello".lastIndexOf("l")', 3n],
  ['"hello".lastIndexOf("l", 2)', 2n],
  ['"HeÉ".lowerAscii()', 'heÉ'],
  ['"heé".upperAscii()', 'HEé'],
  ['" \\ta\\n ".trim()', 'a'],
  ['"hello hello".replace("he", "we")', 'wello wello'],
  ['"hello hello".replace("he", "we", 1)', 'wello hello'],
  ['"ab".replace("", "_")', '_a_b_'],
  ['"a,b,c".split(",")', ['a', 'b', 'c']],
  ['"a,b,c".split(",", 2)', ['a', 'b,c']],
  ['"a,b".split(",", 0)', []],
  ['"h😀l".split("")', ['h', '😀', 'l']],
  ['"h😀llo".substring(1)', '😀llo'],
  ['"h😀llo".substring(1, 3)', '😀l'],
  ['["a", "b"].join("-")', 'a-b'],
  ['["a", "b"].join()', 'ab'],
  [
    '"%s is %d, %.2f, %e, %b, %x, %X, %o %%".format([dyn("a"), 1, 1.255, 1234.5, 5, 255, "hi", 8])',
    'a is 1, 1.25, 1.234500×10⁰³, 101, ff, 6869, 10 %',
  ],
  ['"%.3e".format([1052.032911275])', '1.052033×10⁰³'],
  ['"%s".format([o.mixed])', '[1, "a", {"k":1.500000}, null, true]'],
  ['"%s %s".format([dyn(duration("1h")), type(1)])', '3600s int'],
  ['strings.quote("a\\"b\\n")', '"a\\"b\\n"'],
]);

table('regular expressions', [
  ['"abc".matches("^a.c$")', true],
  ['matches("xabcx", "abc")', true],
  ['"abc 123".find("[0-9]+")', '123'],
  ['"abc".find("[0-9]+")', ''],
  ['"1 a 2 b 3".findAll("[0-9]+")', ['1', '2', '3']],
  ['"1 a 2 b 3".findAll("[0-9]+", 2)', ['1', '2']],
  ['"123 abc 456".findAll("xyz")', []],
]);

table('lists', [
  ['[1, 2, 3].isSorted()', true],
  ['["b", "a"].isSorted()', false],
  ['[1, 2, 3].sum()', 6n],
  ['[1.5, 2.5].sum()', 4],
  ['[duration("1s"), duration("2s")].sum()', '3s'],
  ['[1, 3, 2].max()', 3n],
  ['["b", "a"].min()', 'a'],
  ['[1, 2, 2].indexOf(2)', 1n],
  ['[1, 2, 2].lastIndexOf(2)', 2n],
  ['[1, 2, 3, 4].slice(1, 3)', [2n, 3n]],
  ['[[1, 2], [3]].flatten()', [1n, 2n, 3n]],
  ['[3, 1, 2].sort()', [1n, 2n, 3n]],
  ['["b", "a"].sort()', ['a', 'b']],
  ['[{"n": 2}, {"n": 1}].sortBy(e, e.n)', [{ n: 1n }, { n: 2n }]],
  ['lists.range(3)', [0n, 1n, 2n]],
  ['[1, 2].reverse()', [2n, 1n]],
  ['[1, 2, 1].distinct()', [1n, 2n]],
  ['sets.contains([1, 2, 3], [2, 1])', true],
  ['sets.equivalent([1, 2], [2, 1, 1])', true],
  ['sets.intersects([1], [2])', false],
]);

table('optionals', [
  ['optional.of(1).hasValue()', true],
  ['optional.none().hasValue()', false],
  ['optional.of(1).value()', 1n],
  ['optional.none().orValue(2)', 2n],
  ['optional.none().or(optional.of(3)).value()', 3n],
  ['optional.ofNonZeroValue("").hasValue()', false],
  ['o.?z', 'none'],
  ['o.?a', { some: 1n }],
  ['o.?b.c.orValue("d")', 'x'],
  ['o.?z.c.orValue("d")', 'd'],
  ['o.list[?7].orValue(9)', 9n],
  ['{"a": 1}[?"a"].optMap(x, x + 1).orValue(0)', 2n],
  ['optional.of(1).optFlatMap(x, optional.none()).hasValue()', false],
  ['[optional.of(1), optional.none()].unwrapOpt()', [1n]],
  ['optional.of(1) == optional.of(1)', true],
]);

table('quantities', [
  ['quantity("1Ki").compareTo(quantity("1024"))', 0n],
  ['quantity("1.5").isGreaterThan(quantity("1500m"))', false],
  ['quantity("50M").add(quantity("20k")) == quantity("50020k")', true],
  ['quantity("1k").sub(1).asInteger()', 999n],
  ['quantity("1.5").isInteger()', false],
  ['quantity("1.5").asApproximateFloat()', 1.5],
  ['sign(quantity("-1"))', -1n],
  ['isQuantity("1.3Gi") && !isQuantity("1.3Gx")', true],
  ['quantity("100m").isLessThan(quantity("1"))', true],
]);

table('addresses', [
  ['ip("127.0.0.1").isLoopback()', true],
  ['ip("::1").family()', 6n],
  ['isIP("01.2.3.4")', false],
  ['isIP("::ffff:1.2.3.4")', false],
  ['isIP("fe80::1%eth0")', false],
  ['isIP("1::2::3")', false],
  ['isIP("1:2:3:4:5:6:1.2.3.4")', true],
  ['ip.isCanonical("2001:DB8::1")', false],
  ['ip.isCanonical("2001:db8::1")', true],
  ['string(ip("2001:db8:0:0:1:0:0:1"))', '2001:db8::1:0:0:1'],
  ['ip("0.0.0.0").isUnspecified()', true],
  ['ip("224.0.0.1").isLinkLocalMulticast()', true],
  ['ip("fe80::1").isLinkLocalUnicast()', true],
  ['ip("8.8.8.8").isGlobalUnicast()', true],
  ['ip("255.255.255.255").isGlobalUnicast()', false],
  ['cidr("192.168.0.0/16").containsIP("192.168.1.1")', true],
  ['cidr("192.168.0.0/16").containsIP(ip("10.0.0.1"))', false],
  ['cidr("192.168.0.0/16").containsCIDR("192.168.4.0/24")', true],
  ['cidr("192.168.4.0/24").containsCIDR(cidr("192.168.0.0/16"))', false],
  ['cidr("192.168.1.5/24").masked() == cidr("192.168.1.0/24")', true],
  ['cidr("192.168.1.5/24").ip() == ip("192.168.1.5")', true],
  ['cidr("::1/128").prefixLength()', 128n],
  ['isCIDR("10.0.0.0/33")', false],
  ['isCIDR("10.0.0.0/08")', false],
  ['type(ip("::1")) == net.IP', true],
]);

table('URLs', [
  ['url("https://user@example.com:8080/a%20b/c?k=v&k=w&x=#f").getHost()', 'example.com:8080'],
  ['url("https://example.com:8080/").getHostname()', 'example.com'],
  ['url("https://[::1]:80/").getHostname()', '::1'],
  ['url("https://[::1]:80/").getPort()', '80'],
  ['url("https://example.com/").getPort()', ''],
  ['url("https://example.com/a%20b/c d?x").getEscapedPath()', '/a%20b/c%20d'],
  ['url("https://example.com/?k=v&k=w").getQuery()', { k: ['v', 'w'] }],
  ['url("/path").getScheme()', ''],
  ['isURL("https://example.com") && isURL("/a") && !isURL("a") && !isURL("") && !isURL("../a")', true],
  ['isURL("https://a:b/")', false],
]);

table('versions', [
  ['semver("1.2.3").major()', 1n],
  ['semver("1.2.3-beta.2").isLessThan(semver("1.2.3"))', true],
  ['semver("1.2.3-beta.2").compareTo(semver("1.2.3-beta.11"))', -1n],
  ['semver("1.2.3-1").isLessThan(semver("1.2.3-a"))', true],
  ['semver("v01.2", true) == semver("1.2.0")', true],
  ['isSemver("1.2") || isSemver("v1.2.3") || isSemver("01.2.3")', false],
  ['isSemver("v1", true)', true],
  ['semver("1.2.3+a") == semver("1.2.3+b")', true],
]);

table('formats', [
  ['format.dns1123Label().validate("a-b").hasValue()', false],
  ['format.dns1123Label().validate("A").value().size()', 1n],
  ['format.dns1123LabelPrefix().validate("a-").hasValue()', false],
  ['format.named("uuid").value().validate("x").value()', ['does not match the UUID format']],
  ['format.named("nope").hasValue()', false],
  ['format.qualifiedName().validate("a.b/c").hasValue()', false],
  ['format.labelValue().validate("a b").hasValue()', true],
  ['format.uri().validate("https://a/").hasValue()', false],
  ['format.date().validate("2021-02-30").value()', ['invalid date']],
]);

failures('what cannot be evaluated', [
  ['1 / 0', 'division by zero'],
  ['1 % 0', 'modulus by zero'],
  ['9223372036854775807 + 1', 'integer overflow'],
  ['0u - 1u', 'unsigned integer overflow'],
  ['o.z', 'no such key: z'],
  ['[1][1]', 'index out of bounds: 1'],
  ['{"a": 1}["b"]', 'no such key: b'],
  ['o.a + "x"', 'no such overload'],
  ['int(o.b.c)', "type conversion error from 'string' to 'int'"],
  ['optional.none().value()', 'optional.none() dereference'],
  ['[1, 0].all(x, 1 / x == 1)', 'division by zero'],
  ['"abc".substring(2, 1)', 'invalid substring range. start: 2, end: 1'],
  ['"abc".charAt(4)', 'index out of range: 4'],
  ['[1].slice(0, 2)', 'cannot slice(0, 2), list is length 1'],
  ['[].map(x, dyn(x)).filter(x, true).max() == 1', 'max called on empty list'],
]);

faults('what does not compile', [
  ['a', "ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a\n | ^"],
  [
    '1 + "a"',
    "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n | 1 + \"a\"\n | ..^",
  ],
  ['"a".startsWith(1)', "<input>:1:15: found no matching overload for 'startsWith' applied to 'string.(int)'"],
  ['1 == 1.0', "found no matching overload for '_==_' applied to '(int, double)'"],
  ['[1, "a"]', "expected type 'int' but found 'string'"],
  ['(1).foo', "type 'int' does not support field selection"],
  ['1 + ', 'Syntax error'],
  ['nope(1)', "undeclared reference to 'nope' (in container '')"],
  ['"a".nope()', "undeclared reference to 'nope' (in container '')"],
  ['true ? 1 : "a"', "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
  ['(1).all(x, true)', "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
  ['[1].all(x, 1)', "<input>:1:12: expected type 'bool' but found 'int'"],
  ['has(o)', 'invalid argument to has() macro'],
  ['[1].all(1, true)', 'argument must be a simple name'],
  ['"a".matches("(")', 'invalid matches argument'],
  ['duration("1x")', 'invalid duration argument'],
  ['timestamp("2020-02-30T00:00:00Z")', 'invalid timestamp argument'],
  ['9223372036854775808', 'invalid int literal'],
  ['cel.bind(x, 1, x)', 'undeclared reference to'],
  ['math.greatest(1, 2)', 'undeclared reference to'],
]);
