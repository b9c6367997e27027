// The order of the results of a search: the guide comes first, then functions and classes;
// records, methods and pages for developers come last.
var Scorer = {
  score: ([page, title, anchor, description, score]) => {
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
