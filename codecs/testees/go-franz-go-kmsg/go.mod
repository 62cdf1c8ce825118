module go-franz-go-kmsg

go 1.26.0

require (
	github.com/twmb/franz-go/pkg/kmsg v1.15.0
	wireproof/testee v0.0.0
)

replace wireproof/testee => ./testee
