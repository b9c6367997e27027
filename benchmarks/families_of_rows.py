"""Families of rows, and the settings in which `--table families` draws them."""

# The name of a family, how its scores are written, and the scores of positives: shares
# of distributions of scipy.stats with their shapes, location and scale. Below, the
# scores of negatives.
FAMILIES = """
tasks       exact     .6 norm 3 + .3 norm + .1 norm -1.5
                      1 norm
lookalikes  exact     1 norm 2
                      .97 norm -1.5 + .03 norm 2
inverse     exact     .15 norm 2 + .85 norm -.8
                      1 norm
perfect     exact     1 norm 3.6
                      1 norm
chance      exact     1 uniform
                      1 uniform
flipped     exact     .96 norm 3 + .04 norm
                      .96 norm + .04 norm 3
wave        exact     .6 norm 2 .5 + .4 norm 0 .5
                      .97 norm -1 .5 + .03 norm 2.6 .5
leaves      whole     .1 uniform 2 + .2 uniform 5 + .4 uniform 8 + .3 uniform 9
                      .6 uniform 0 + .2 uniform 2 + .1 uniform 4 + .09 uniform 7 + .01 uniform 9
five        exact     1 binom 4 .6
                      1 binom 4 .25
counts      exact     1 poisson 4
                      1 poisson 1.2
zeros       positive  .75 weibull_min .8 0 3 + .25 norm -99
                      .2 weibull_min .8 + .8 norm -99
inflated    positive  .6 gamma 4 + .4 norm -99
                      .05 gamma 1.5 + .95 norm -99
digit       digit     1 norm 1.2 1.3
                      1 norm -1.2 1.3
pareto      exact     1 pareto 1.1 0 5
                      1 pareto 1.1
bounded     exact     1 uniform .45 .75
                      1 uniform
bottom      exact     1 uniform .6 .4
                      1 uniform
calibrated  exact     1 beta 1.6 5.4
                      1 beta .6 6.4
arcsine     exact     1 beta 1.2 .5
                      1 beta .3 .5
cliff       exact     .5 uniform 9 + .5 uniform
                      1 uniform
high_cliff  exact     .9 uniform 9 + .1 uniform
                      1 uniform
soft_cliff  exact     .5 norm 3 .7 + .5 norm 0 .7
                      .01 norm 3 .7 + .99 norm 0 .7
stairs      exact     .3 uniform 4 + .45 uniform 2 + .25 uniform
                      .005 uniform 4 + .05 uniform 2 + .945 uniform
early       exact     .15 uniform 9 + .85 uniform 5
                      .03 uniform 5 + .97 uniform
topped      exact     1 uniform 1
                      .993 uniform + .007 uniform 2
hinge       exact     1 uniform -1 2
                      1 powerlaw 2 -2 2.2
hidden      exact     .1 norm 3 + .9 norm
                      1 norm
hidden_20   exact     .05 norm 3 + .95 norm
                      1 norm
hidden_t    exact     .08 t 3 8 + .92 t 3
                      1 t 3
below       exact     .1 norm 3.2 + .9 norm -.7
                      1 norm
apart       exact     .15 uniform 1 + .85 uniform
                      1 uniform
gumbel      exact     .06 gumbel_r 4 + .94 gumbel_r
                      1 gumbel_r
few_levels  whole     .1 uniform 4 + .4 uniform 1 + .5 uniform
                      .2 uniform 2 + .4 uniform 1 + .4 uniform
weak        exact     1 gumbel_r .7
                      1 gumbel_r
cauchy      exact     1 t 2 2
                      1 t 2
strong      exact     1 logistic 3.3 .6
                      1 logistic 0 .6
mixed       exact     .7 norm 2.5 + .3 norm
                      1 norm
top         exact     1 norm 1.5
                      .99 norm + .01 norm 6
normal      exact     1 norm 1.5
                      1 norm
better      exact     1 norm 2.5
                      1 norm
logistic    exact     1 logistic 2.2
                      1 logistic
student     exact     1 t 3 1.8
                      1 t 3
skewed      exact     1 gamma 3
                      1 gamma 1
"""

# Each line: score, family, units of a sample, share of positives (of classes, the
# concentration of a Dirichlet distribution), and arguments that `finite.py` describes.
KINDS = {
    "areas": """
average_precision  tasks       60    .4
average_precision  tasks       2000  .02
average_precision  lookalikes  40    .5
average_precision  lookalikes  1000  .05
average_precision  inverse     80    .4
average_precision  inverse     1000  .1
average_precision  perfect     30    .3
average_precision  perfect     150   .08
average_precision  perfect     500   .02
average_precision  chance      20    .5
average_precision  chance      250   .1
average_precision  chance      2000  .01
average_precision  flipped     100   .2
average_precision  flipped     1000  .05
average_precision  wave        400   .1
average_precision  leaves      80    .3
average_precision  leaves      500   .05
average_precision  five        200   .2
average_precision  five        1000  .02
average_precision  counts      60    .3
average_precision  counts      500   .05
average_precision  zeros       100   .2
average_precision  zeros       1000  .03
average_precision  inflated    500   .1
average_precision  digit       200   .1
average_precision  digit       2000  .01
average_precision  pareto      300   .1
average_precision  bounded     300   .1
average_precision  bounded     5000  .004
average_precision  bottom      150   .2
average_precision  calibrated  300   .1
average_precision  arcsine     250   .2
average_precision  arcsine     1000  .03
average_precision  cliff       200   .1
average_precision  stairs      500   .1
average_precision  normal      12    .5
average_precision  normal      300   .1
average_precision  normal      5000  .05
average_precision  better      500   .03
average_precision  logistic    400   .1
average_precision  student     1000  .05
average_precision  skewed      300   .2
average_precision  topped      300   .1
pr_auc  tasks      300   .1  interpolation=linear
pr_auc  digit      500   .1  interpolation=linear
pr_auc  leaves     300   .2  interpolation=linear
pr_auc  normal     200   .1  interpolation=linear
pr_auc  bounded    300   .1  interpolation=linear
interpolated_average_precision  lookalikes  500  .1
interpolated_average_precision  zeros       500  .1
interpolated_average_precision  five        300  .2
interpolated_average_precision  normal      200  .1
interpolated_average_precision  top         500  .1
interpolated_average_precision  student     1000 .05
""",
    "lines with few distinct scores": """
pr_auc  five   1000  .02  interpolation=linear
pr_auc  digit  2000  .01  interpolation=linear
pr_auc  counts 1000  .02  interpolation=linear
pr_auc  five   300   .1  interpolation=linear
""",
    "low scores": """
average_precision  hidden      2000   .01
average_precision  hidden      1000   .05
average_precision  hidden      100    .1
average_precision  hidden      10000  .01
average_precision  hidden_20   2000   .01
average_precision  hidden_20   20000  .001
average_precision  hidden_t    5000   .005
average_precision  below       300    .03
average_precision  apart       1000   .03
average_precision  apart       60     .2
average_precision  gumbel      5000   .03
average_precision  few_levels  800    .02
pr_auc             apart       1500   .01  interpolation=linear
interpolated_average_precision  hidden  1200  .02
average_precision_at_k  below   1000  .02  k=50
recall_at_k             hidden  1000  .015  k=30
average_precision  hidden  800  .02  missed=.3
average_precision  hidden  40   .02  sizes=20
""",
    "means of classes": """
average_precision  chance  1000  100  classes=10  average=macro
average_precision  chance  800   1    classes=20  average=weighted
average_precision  normal  2000  .0045  columns=12  average=macro  prevalence=.005
average_precision  weak    1500  100  classes=50  average=macro
average_precision  weak    3000  100  classes=30  average=macro
average_precision  weak    900   100  classes=30  average=weighted
average_precision  normal  1000  100  classes=10  average=macro
average_precision  normal  500   100  classes=10  average=weighted
average_precision  cauchy  300   5    classes=3   average=macro
average_precision  cauchy  1000  2    classes=8   average=macro
average_precision  mixed   400   2    classes=3   average=weighted
average_precision  digit   1500  3    classes=25  average=macro
average_precision  strong  600   5    classes=30  average=macro
average_precision  strong  240   100  classes=12  average=weighted
average_precision  tasks   600   5    classes=6   average=macro
average_precision  lookalikes 600 5   classes=12  average=weighted
average_precision  normal  300   .05  columns=12  average=macro
average_precision  normal  300   .05  columns=12  average=weighted  alike=.5
average_precision  weak    400   .03  columns=60  average=weighted
average_precision  weak    1000  .02  columns=20  average=macro  alike=.3
average_precision  better  300   .05  columns=6   average=micro
average_precision  normal  100   .2   columns=5   average=samples
pr_auc             weak    500   5    classes=10  average=macro  interpolation=linear
interpolated_average_precision  weak    1000  100  classes=20  average=macro
interpolated_average_precision  top     1000  10   classes=20  average=macro
interpolated_average_precision  normal  1000  100  classes=10  average=macro  recall_levels=101
average_precision_at_k  weak    600  100  classes=10  average=macro  k=60
precision_at_k          normal  600  100  classes=10  average=macro  k=30
recall_at_k             normal  600  100  classes=10  average=macro  k=60
r_precision             weak    600  100  classes=10  average=macro
average_precision  normal  600  10  classes=8  average=macro  sigma=.7
""",
    "means of fixed queries": """
average_precision  normal   300   .15  queries=6   spread=.5
average_precision  weak     750   .2   queries=25  spread=.5
average_precision  normal   240   .3   queries=12  spread=.8
average_precision  better   1000  .2   queries=25  spread=.8
average_precision  zeros    600   .2   queries=10  spread=.5
average_precision  normal   60    .25  queries=15  spread=.5  sizes=5,10,15  effect=.6
average_precision  weak     150   .25  queries=25  spread=.5  sizes=8,12  effect=.3
average_precision_at_k  normal  900  .3  queries=20  spread=.5  k=10
precision_at_k     normal   400   .2   queries=8   spread=.5  k=5
recall_at_k        normal   400   .2   queries=8   spread=.5  k=20
r_precision        normal   400   .2   queries=8   spread=.5
interpolated_average_precision  weak  200  .2  queries=30  spread=.5  sizes=5,10,15  effect=.4
interpolated_average_precision  weak  150  .25  queries=25  spread=.5  sizes=10,16  recall_levels=101
pr_auc             normal   80    .3   queries=20  spread=.5  sizes=10,15  effect=.5  interpolation=linear
""",
    "precision at a recall": """
precision_at_recall  early  250  .2  recall=.148
precision_at_recall  early  60   .2  recall=.14  sizes=5  alike=.9
precision_at_recall  zeros       1000  .1   recall=.72
precision_at_recall  zeros       300   .2   recall=.7
precision_at_recall  lookalikes  1000  .05  recall=.98
precision_at_recall  lookalikes  1000  .05  recall=.95
precision_at_recall  bounded     500   .1   recall=.3
precision_at_recall  bounded     1000  .1   recall=.28
precision_at_recall  flipped     1000  .1   recall=.7
precision_at_recall  cliff       200   .25  recall=.5
precision_at_recall  cliff       1000  .05  recall=.45
precision_at_recall  cliff       60    .15  recall=.5
precision_at_recall  high_cliff  80    .4   recall=.9
precision_at_recall  high_cliff  3000  .02  recall=.89
precision_at_recall  soft_cliff  500   .1   recall=.5
precision_at_recall  soft_cliff  2000  .02  recall=.49
precision_at_recall  stairs      1000  .1   recall=.3
precision_at_recall  stairs      1000  .1   recall=.74
precision_at_recall  stairs      4000  .05  recall=.76
precision_at_recall  inflated    500   .1   recall=.6
precision_at_recall  inflated    120   .2   recall=.55
precision_at_recall  digit       2000  .01  recall=.3
precision_at_recall  digit       500   .1   recall=.7
precision_at_recall  five        300   .1   recall=.5
precision_at_recall  five        2000  .05  recall=.85
precision_at_recall  hinge       500   .1   recall=.4
precision_at_recall  hinge       2000  .05  recall=.43
precision_at_recall  wave        1000  .1   recall=.5
precision_at_recall  wave        1000  .1   recall=.62
precision_at_recall  normal      60    .3   recall=.5
precision_at_recall  normal      1000  .05  recall=.2
precision_at_recall  normal      1000  .05  recall=.8
precision_at_recall  better      300   .2   recall=.9
precision_at_recall  logistic    500   .1   recall=.35
precision_at_recall  student     1000  .1   recall=.05
precision_at_recall  student     1000  .1   recall=.6
precision_at_recall  skewed      800   .1   recall=.5
precision_at_recall  cliff       600   .1   recall=.5   sigma=.8
precision_at_recall  stairs      1000  .1   recall=.74  sigma=.8
precision_at_recall  inflated    1000  .1   recall=.6   heavy=5
precision_at_recall  cliff       600   .1   recall=.4   missed=.2
precision_at_recall  stairs      800   .1   recall=.24  missed=.2
precision_at_recall  normal      600   .1   recall=.78  missed=.2
precision_at_recall  cliff       60    .1   recall=.5   sizes=1,8,15
precision_at_recall  stairs      100   .15  recall=.74  sizes=1,5,9
precision_at_recall  normal      100   .15  recall=.6   sizes=1,2,20  effect=.5
precision_at_recall  digit       200   .1   recall=.5   sizes=1,3,5
precision_at_recall  stairs      120   .2   recall=.3   sizes=6  alike=.9
precision_at_recall  normal      1000  .1   recall=.5   prevalence=.02
""",
    "cuts": """
precision_at_k  cliff       300   .1   k=15
precision_at_k  cliff       2000  .05  k=50
precision_at_k  high_cliff  400   .2   k=74
precision_at_k  soft_cliff  800   .1   k=45
precision_at_k  stairs      3000  .05  k=90
precision_at_k  bottom      300   .2   k=150
precision_at_k  bounded     1000  .25  k=85
precision_at_k  inflated    500   .1   k=.15
precision_at_k  five        500   .1   k=25
precision_at_k  perfect     500   .1   k=20
precision_at_k  digit       2000  .02  k=30
precision_at_k  normal      500   .1   k=10
precision_at_k  normal      1000  .1   k=100
precision_at_k  logistic    200   .2   k=5
precision_at_k  student     5000  .02  k=50
recall_at_k     cliff       300   .1   k=15
recall_at_k     cliff       2000  .05  k=50
recall_at_k     soft_cliff  800   .1   k=55
recall_at_k     stairs      3000  .05  k=110
recall_at_k     bottom      300   .2   k=156
recall_at_k     inflated    500   .1   k=.2
recall_at_k     five        1000  .05  k=100
recall_at_k     normal      1000  .05  k=50
recall_at_k     better      2000  .02  k=60
recall_at_k     skewed      1000  .1   k=.1
average_precision_at_k  cliff       400   .2   k=42
average_precision_at_k  soft_cliff  800   .1   k=45
average_precision_at_k  stairs      600   .1   k=40
average_precision_at_k  inflated    1500  .05  k=100
average_precision_at_k  normal      2000  .05  k=100
average_precision_at_k  better      300   .1   k=20
average_precision_at_k  student     1000  .1   k=50
average_precision_at_k  skewed      500   .2   k=10
precision_at_k          cliff   800   .1   k=40  sigma=.7
average_precision_at_k  normal  1000  .1   k=50  sigma=.7
recall_at_k             stairs  1000  .1   k=60  sigma=.7
recall_at_k             cliff   800   .1   k=35  missed=.2
average_precision_at_k  better  800   .1   k=40  missed=.2
precision_at_k          stairs  1000  .1   k=50  missed=.2
precision_at_k          cliff   150   .1   k=30  sizes=1,2,3,10
recall_at_k             cliff   150   .1   k=30  sizes=1,2,3,10
average_precision_at_k  normal  200   .15  k=40  sizes=1,2,3,10  effect=.4
recall_at_k             better  120   .15  k=60  sizes=1,2,10  effect=.4
r_precision  cliff    1000  .1
r_precision  stairs   1000  .1
r_precision  inflated 1000  .1
r_precision  normal   300   .1
r_precision  perfect  60    .3
r_precision  counts   500   .05
eleven_point_average_precision  digit     1000  .1
eleven_point_average_precision  stairs    2000  .1
eleven_point_average_precision  normal    1000  .1
eleven_point_average_precision  tasks     500   .2
eleven_point_average_precision  arcsine   1000  .25
interpolated_average_precision  normal    500  .1  recall_levels=101
interpolated_average_precision  zeros     500  .2  recall_levels=101
""",
    "weights": """
average_precision  normal      500   .1   sigma=.2
average_precision  tasks       1000  .05  sigma=1.3
average_precision  leaves      300   .2   sigma=1
average_precision  bounded     500   .1   sigma=1.3
average_precision  lookalikes  1000  .05  heavy=5
average_precision  normal      300   .3   heavy=20
average_precision  zeros       1000  .1   heavy=5  sigma=.5
pr_auc             digit       500   .1   sigma=.8  interpolation=linear
interpolated_average_precision  student  500  .1  sigma=.8
r_precision        normal      500   .1   sigma=.8
""",
    "missed positives": """
average_precision  normal  500   .1   missed=.1
average_precision  tasks   300   .1   missed=.3
average_precision  counts  1000  .05  missed=.5
average_precision  zeros   2000  .03  missed=.8
average_precision  chance  300   .2   missed=.5
recall_at_k        bounded 500   .1   missed=.3  k=30
recall_at_k        flipped 1000  .05  missed=.5  k=30
r_precision        normal  500   .1   missed=.3
interpolated_average_precision  digit  500  .1  missed=.3
""",
    "prevalences": """
average_precision  tasks      1000  .25  prevalence=.01
average_precision  zeros      2000  .3   prevalence=.001
average_precision  flipped    500   .1   prevalence=.005
average_precision  counts     500   .1   prevalence=.005
average_precision  digit      2000  .3   prevalence=.02
average_precision  perfect    1000  .25  prevalence=.001
average_precision  arcsine    2000  .3   prevalence=.001
average_precision  pareto     500   .1   prevalence=.01
average_precision  apart      400   .1   prevalence=.001
average_precision  chance     2000  .01  prevalence=.005
average_precision  normal     500   .1   prevalence=.4
average_precision  leaves     300   .3   prevalence=.02
pr_auc             normal     500   .2   prevalence=.02  interpolation=linear
interpolated_average_precision  normal  500  .3  prevalence=.01
""",
    "units": """
average_precision  normal      25   .3   sizes=1,2,5,20,100  effect=.5  alike=.3
average_precision  normal      80   .15  sizes=1,2,5,20,60   effect=.9  alike=.2
average_precision  tasks       150  .1   sizes=1,3,8         effect=.5
average_precision  lookalikes  40   .3   sizes=10            effect=.5  alike=.5
average_precision  zeros       400  .1   sizes=2             alike=.9
average_precision  digit       60   .2   sizes=1,30          effect=.7
average_precision  bounded     100  .1   sizes=5,10,15
average_precision  hidden      60   .1   sizes=5,20
average_precision  normal      15   .5   sizes=2,8           effect=.4  alike=.3
pr_auc             normal      80   .15  sizes=1,2,5,20      effect=.7  alike=.2  interpolation=linear
interpolated_average_precision  normal  80  .15  sizes=1,2,5,20  effect=.7  alike=.2
eleven_point_average_precision  normal  150  .3  sizes=5,10  effect=.5
r_precision        normal      80   .2   sizes=1,2,20        effect=.5  alike=.3
r_precision        normal      40   .3   sizes=1,8           effect=.5
precision_at_k     normal      40   .3   sizes=1,2,5,20      effect=.5  alike=.3  k=20
precision_at_k     normal      150  .15  sizes=2             effect=.7  k=50
recall_at_k        normal      80   .15  sizes=1,8,20        effect=.5  k=40
average_precision_at_k  normal 80   .15  sizes=1,2,5,20      effect=.5  k=25
average_precision  normal      60   .2   sizes=1,2,20        effect=.5  sigma=.8
average_precision  normal      60   .3   sizes=1,2,20        effect=.5  prevalence=.02
""",
    "drawn queries": """
average_precision       normal  12   .2   sizes=5,20,60  spread=.5
average_precision       normal  50   .15  sizes=5,20,60  spread=1
average_precision       tasks   200  .15  sizes=5,20,60  spread=.5
average_precision       five    25   .3   sizes=5,10     spread=.5
precision_at_k          normal  25   .2   sizes=10,40    spread=1  k=5
recall_at_k             normal  25   .2   sizes=10,40    spread=1  k=10
average_precision_at_k  normal  50   .2   sizes=10,40    spread=1  k=10
reciprocal_rank         normal  50   .15  sizes=5,20,60  spread=1
success_at_k            normal  50   .1   sizes=10,40    spread=1  k=3
r_precision             better  12   .2   sizes=10,40    spread=1
average_precision       chance  8    .02  sizes=100      spread=0
average_precision       chance  50   .02  sizes=100      spread=0
reciprocal_rank         chance  30   .02  sizes=100      spread=0
""",
    "differences": """
average_precision  normal      300   .1   noise=.3,1
average_precision  tasks       1000  .05  noise=.3,1
average_precision  lookalikes  500   .1   noise=.3,1.5
average_precision  zeros       500   .2   noise=.3,1.5
average_precision  digit       200   .3   noise=.3,1.5
average_precision  leaves      500   .1   noise=.3,3
average_precision  bounded     300   .1   noise=.05,.4
average_precision  perfect     200   .1   noise=.3,1.5
average_precision  perfect     200   .06  noise=.1,1.5
average_precision  perfect     160   .25  noise=.3,1  prevalence=.02
success_at_k       normal      8     .1   noise=.3,1  sizes=40  spread=1  k=1
average_precision  hidden      1000  .03  noise=.3,2
average_precision  chance      500   .05  noise=.1,1
average_precision  cliff       300   .1   noise=.3,4
average_precision  normal      500   .1   noise=.3,1  sigma=1
average_precision  normal      600   .2   noise=.3,1  prevalence=.01
average_precision  normal      600   .1   noise=.3,1  missed=.3
average_precision  normal      60    .2   noise=.3,1  sizes=1,2,5,20  effect=.5
average_precision  normal      30    .2   noise=.3,1  sizes=5,20  spread=.5
pr_auc             normal      300   .1   noise=.3,1  interpolation=linear
interpolated_average_precision  normal  300  .1  noise=.3,1
eleven_point_average_precision  normal  1000  .1  noise=.3,1.5
precision_at_recall  better      600  .1  noise=.3,1.5  recall=.5
precision_at_recall  soft_cliff  600  .1  noise=.3,1.5  recall=.45
precision_at_k  better  600  .1  noise=.3,1.5  k=60
recall_at_k     stairs  600  .1  noise=.3,1.5  k=60
average_precision_at_k  better  600  .1  noise=.3,1.5  k=40
r_precision     normal  500  .1  noise=.3,1.5
""",
    "differences of means": """
average_precision  normal  400   5    classes=8   average=macro  noise=.5,1.5
average_precision  better  900   5    classes=15  average=macro  noise=.5,2
average_precision  normal  1200  5    classes=25  average=macro  noise=.5,3
average_precision  weak    1000  100  classes=10  average=weighted  noise=.5,2
average_precision  normal  480   .2   queries=12  spread=.5  noise=.5,2
average_precision  normal  300   .05  columns=10  average=macro  noise=.3,1.5  alike=.3
interpolated_average_precision  normal  600  100  classes=12  average=macro  noise=.5,2
precision_at_k     normal  600   100  classes=10  average=macro  k=60  noise=.5,2
""",
    "equal models": """
average_precision  normal      300   .1   noise=.5,.5
average_precision  normal      2000  .01  noise=.5,.5
average_precision  tasks       1000  .05  noise=.5,.5
average_precision  lookalikes  500   .1   noise=.5,.5
average_precision  zeros       500   .2   noise=.5,.5
average_precision  digit       200   .3   noise=.5,.5
average_precision  leaves      500   .1   noise=1,1
average_precision  perfect     200   .2   noise=.5,.5
average_precision  hidden      1000  .02  noise=1,1
average_precision  cliff       300   .1   noise=1,1
average_precision  normal      60    .5   noise=.5,.5
average_precision  student     30    .3   noise=1,1
average_precision  normal      500   .1   noise=.5,.5  sigma=1
average_precision  normal      600   .2   noise=.5,.5  prevalence=.01
average_precision  normal      600   .1   noise=.5,.5  missed=.3
average_precision  normal      60    .2   noise=.5,.5  sizes=1,2,5,20,60  effect=.5  alike=.2
average_precision  normal      25    .3   noise=.5,.5  sizes=1,2,5,20,60  effect=.5  alike=.2
average_precision  normal      30    .05  noise=.5,.5  sizes=1,1,100
average_precision  normal      15    .2   noise=.5,.5  sizes=20  spread=.5
pr_auc             normal      300   .1   noise=.5,.5  interpolation=linear
eleven_point_average_precision  normal  1000  .1  noise=.5,.5
precision_at_recall  better      600  .1  noise=.5,.5  recall=.5
precision_at_recall  soft_cliff  600  .1  noise=.5,.5  recall=.45
precision_at_recall  zeros       600  .1  noise=.5,.5  recall=.7
precision_at_k  better      600  .1  noise=.5,.5  k=60
precision_at_k  soft_cliff  600  .1  noise=.5,.5  k=30
recall_at_k     stairs      600  .1  noise=.5,.5  k=60
average_precision_at_k  better  600  .1  noise=.5,.5  k=40
average_precision_at_k  better  600  .1  noise=.5,.5  k=40  sigma=.7
r_precision     normal      60   .2  noise=.5,.5  sizes=1,2,5,20,60  effect=.5
""",
    "equal models, means": """
average_precision  normal  300   5    classes=8   average=macro  noise=.5,.5
average_precision  normal  600   5    classes=15  average=macro  noise=.5,.5
average_precision  strong  400   5    classes=10  average=macro  noise=.5,.5
average_precision  chance  1000  100  classes=10  average=weighted  noise=.5,.5
average_precision  normal  450   .2   queries=15  spread=.5  noise=.5,.5
average_precision  normal  300   .05  columns=10  average=macro  noise=.5,.5  alike=.3
interpolated_average_precision  normal  600  100  classes=12  average=macro  noise=.5,.5
precision_at_k     normal  600   100  classes=10  average=macro  k=60  noise=.5,.5
""",
}
