#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

/// The smallest test harness that does the job: named cases, functions that record what
/// failed, and a closing line that counts.
namespace check {

inline bool& case_failed() {
  static bool failed = false;
  return failed;
}

inline void that(bool condition, const std::string& what) {
  if (condition) return;
  std::printf("    FAILED: %s\n", what.c_str());
  case_failed() = true;
}

template <class Got, class Expected>
void equal(Got got, Expected expected, const std::string& what, double tolerance = 0) {
  const auto a = static_cast<double>(got);
  const auto b = static_cast<double>(expected);
  that(std::abs(a - b) <= tolerance || (std::isnan(a) && std::isnan(b)),
       what + ": got " + std::to_string(a) + ", expected " + std::to_string(b));
}

template <class Exception>
void throws(const std::function<void()>& action, const std::string& what) {
  try {
    action();
  } catch (const Exception&) {
    return;
  }
  that(false, what + ": nothing was thrown");
}

/// Whether bad arguments are refused, as most of ours are.
inline void refuses(const std::function<void()>& action, const std::string& what) {
  throws<std::invalid_argument>(action, what);
}

/// A named case; it runs because it is defined, by CASE("name") { ... }.
class Case {
 public:
  Case(const char* name, void (*run)()) : name_(name), run_(run) {
    all().push_back(this);
  }

  static int run_all() {
    int failed = 0;
    for (const Case* test : all()) {
      case_failed() = false;
      std::printf("  %s\n", test->name_);
      test->run_();
      if (case_failed()) ++failed;
    }
    std::printf("%zu cases, %d failed\n", all().size(), failed);
    return failed == 0 && !all().empty() ? 0 : 1;
  }

 private:
  static std::vector<const Case*>& all() {
    static std::vector<const Case*> cases;
    return cases;
  }

  const char* name_;
  void (*run_)();
};

}  // namespace check

#define CHECK_JOINED(a, b) a##b
#define CHECK_UNIQUE(stem, line) CHECK_JOINED(stem, line)
#define CASE(name)                                        \
  static void CHECK_UNIQUE(run_, __LINE__)();             \
  static const check::Case CHECK_UNIQUE(case_, __LINE__)( \
      name, CHECK_UNIQUE(run_, __LINE__));                \
  static void CHECK_UNIQUE(run_, __LINE__)()

/// Every test is a program of one file.
int main() { return check::Case::run_all(); }
