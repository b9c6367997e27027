// The order of the results of a search: the guide comes first, then functions and classes;
// records, methods and pages for developers come last.
var Scorer = {
  // The results by page and title. If a word is in the index and in the text of a page, they have two places, and Sphinx
  // shows the page twice. All of them get the place of the best one, so that Sphinx shows one.
  found: {},
  unite: (result) => {
    const [page, title, place, , score] = result;
    const same = (Scorer.found[`${page} ${title}`] ||= { results: [], score: -1 });
    same.results.push(result);
    if (score > same.score) Object.assign(same, { place, score });
    for (const one of same.results) one[2] = same.place;
  },
  score: (result) => {
    const [page, title, , , score] = result;
    Scorer.unite(result);
    if (/^(CONTRIBUTING|changelog)$/.test(page)) return score - 20;
    if (/^compatibility/.test(page)) return score - 4;
    if (/^(auto_examples|intervals|mathematics|in_other_libraries|deviations|speed)/.test(page)) return score - 2;
    if (/^reference/.test(page)) return /\.[A-Z]\w*/.test(title) ? score - 12 : score + 2;
    return score + 6;
  },
  // Below are the values of Sphinx.
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
